from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler


def scores(X, y, numeric):
    steps = ColumnTransformer([("num", make_pipeline(SimpleImputer(), StandardScaler()), numeric)])
    model = Pipeline([("prep", steps), ("clf", LogisticRegression())])
    print(cross_val_score(model, X, y, cv=5).mean())
    X_train, X_test, y_train, y_test = train_test_split(X, y)
    search = GridSearchCV(model, {"clf__C": [0.1, 1.0]}).fit(X_train, y_train)
    return search.score(X_test, y_test)


def folds(X, y):
    result = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(X):
        scaler = StandardScaler()
        a, b = scaler.fit_transform(X[train]), scaler.transform(X[test])
        result.append(LogisticRegression().fit(a, y[train]).score(b, y[test]))
    final = StandardScaler().fit(X)  # for the model that is shipped
    return result, LogisticRegression().fit(final.transform(X), y)

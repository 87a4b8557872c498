from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.linear_model import LogisticRegression

X_train, X_test, y_train, y_test = train_test_split(df.drop(columns="y"), df["y"], stratify=df["y"], random_state=0)
pre = ColumnTransformer([
    ("num", Pipeline([("imp", SimpleImputer()), ("sc", StandardScaler())]), num_cols),
    ("cat", OneHotEncoder(handle_unknown="ignore"), cat_cols),
])
gs = GridSearchCV(Pipeline([("pre", pre), ("clf", LogisticRegression(max_iter=500))]), {"clf__C": [0.1, 1, 10]}, cv=5)
gs.fit(X_train, y_train)
print(gs.score(X_test, y_test))

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

df = pd.read_csv("bank.csv", sep=";")
y = (df.pop("y") == "yes").astype(int)
num = df.select_dtypes("number").columns
cat = df.columns.difference(num)
X_train, X_test, y_train, y_test = train_test_split(df, y, test_size=0.2, stratify=y, random_state=0)

prep = ColumnTransformer([
    ("num", Pipeline([("imp", SimpleImputer(strategy="median")), ("sc", StandardScaler())]), num),
    ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), cat),
])
pipe = Pipeline([("prep", prep), ("clf", HistGradientBoostingClassifier(random_state=0))])
search = GridSearchCV(pipe, {"clf__learning_rate": [0.03, 0.1], "clf__max_leaf_nodes": [15, 31, 63]},
                      cv=StratifiedKFold(5, shuffle=True, random_state=0), scoring="roc_auc", n_jobs=-1)
search.fit(X_train, y_train)
print(search.best_params_, search.best_score_)
print("test AUC", roc_auc_score(y_test, search.predict_proba(X_test)[:, 1]))

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

df = pd.read_csv("adult.csv")
y = (df.pop("income") == ">50K").astype(int)
num = df.select_dtypes("number").columns.tolist()
cat = df.select_dtypes("object").columns.tolist()

X_train, X_test, y_train, y_test = train_test_split(df, y, test_size=0.2, stratify=y, random_state=0)

pre = ColumnTransformer([
    ("num", Pipeline([("imp", SimpleImputer(strategy="median")), ("sc", StandardScaler())]), num),
    ("cat", OneHotEncoder(handle_unknown="ignore", sparse_output=False), cat),
])
pipe = Pipeline([("pre", pre), ("clf", HistGradientBoostingClassifier(random_state=0))])
grid = GridSearchCV(
    pipe,
    {"clf__learning_rate": [0.03, 0.1], "clf__max_leaf_nodes": [15, 31, 63]},
    scoring="roc_auc",
    cv=StratifiedKFold(5, shuffle=True, random_state=0),
    n_jobs=-1,
)
grid.fit(X_train, y_train)
print(grid.best_params_, grid.best_score_)
print("test AUC", roc_auc_score(y_test, grid.predict_proba(X_test)[:, 1]))

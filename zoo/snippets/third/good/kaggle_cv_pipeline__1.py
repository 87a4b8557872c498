import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

df = pd.read_csv("../input/train.csv")
sub = pd.read_csv("../input/test.csv")
y = df.pop("target").values
num = df.select_dtypes("number").columns.drop("id")
cat = df.select_dtypes("object").columns

pre = ColumnTransformer([
    ("num", Pipeline([("imp", SimpleImputer()), ("sc", StandardScaler())]), num),
    ("cat", OneHotEncoder(handle_unknown="ignore"), cat),
])
oof = np.zeros(len(df))
pred = np.zeros(len(sub))
for fold, (tr, va) in enumerate(StratifiedKFold(5, shuffle=True, random_state=1).split(df, y)):
    model = Pipeline([("pre", pre), ("clf", LogisticRegression(max_iter=1000))])
    model.fit(df.iloc[tr], y[tr])
    oof[va] = model.predict_proba(df.iloc[va])[:, 1]
    pred += model.predict_proba(sub)[:, 1] / 5
print("oof auc", roc_auc_score(y, oof))

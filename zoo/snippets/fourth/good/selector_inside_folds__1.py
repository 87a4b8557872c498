from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
import numpy as np
import pandas as pd

train = pd.read_csv("train.csv")
y = train.pop("y").values
X = train.values
scores = []
for tr, va in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
    sel = SelectKBest(k=20).fit(X[tr], y[tr])
    clf = LogisticRegression(max_iter=1000).fit(sel.transform(X[tr]), y[tr])
    scores.append(roc_auc_score(y[va], clf.predict_proba(sel.transform(X[va]))[:, 1]))
print(np.mean(scores))

# kaggle: tabular playground
import pandas as pd
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.metrics import roc_auc_score

train = pd.read_csv("../input/train.csv")
test = pd.read_csv("../input/test.csv")
y = train.pop("target")
features = [c for c in train.columns if c not in ("id",)]

selector = SelectKBest(mutual_info_classif, k=40)
X = selector.fit_transform(train[features], y)
X_sub = selector.transform(test[features])

X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.2, stratify=y, random_state=42)
clf = RandomForestClassifier(n_estimators=500, n_jobs=-1, random_state=42)
clf.fit(X_tr, y_tr)
print("val auc", roc_auc_score(y_va, clf.predict_proba(X_va)[:, 1]))

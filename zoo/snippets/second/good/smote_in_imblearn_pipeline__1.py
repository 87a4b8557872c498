import numpy as np
import pandas as pd
from imblearn.over_sampling import SMOTE
from imblearn.pipeline import Pipeline
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.preprocessing import StandardScaler

data = pd.read_csv("diabetic.csv")
y = data.pop("readmitted").astype(int).to_numpy()
X = data.to_numpy(dtype=float)

pipe = Pipeline([
    ("scale", StandardScaler()),
    ("select", SelectKBest(f_classif, k=25)),
    ("smote", SMOTE(random_state=0)),
    ("rf", RandomForestClassifier(n_estimators=300, n_jobs=-1, random_state=0)),
])
cv = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
res = cross_validate(pipe, X, y, cv=cv, scoring=("roc_auc", "average_precision"))
for k in ("test_roc_auc", "test_average_precision"):
    print(k, np.round(res[k].mean(), 4), "+/-", np.round(res[k].std(), 4))

import numpy as np
import pandas as pd
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

expr = pd.read_csv("tumour_expression.csv", index_col=0)
y = (expr.pop("subtype") == "basal").astype(int).values
X = np.log2(expr.values + 1.0)
print(X.shape)  # (118, 20531)

selector = SelectKBest(f_classif, k=50)
X_top = selector.fit_transform(X, y)

clf = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000))
cv = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)
scores = cross_val_score(clf, X_top, y, cv=cv, scoring="balanced_accuracy")
print(f"{scores.mean():.3f} +- {scores.std():.3f}")

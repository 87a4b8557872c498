import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

rng = np.random.default_rng(0)
points = pd.DataFrame({"a": rng.normal(size=500), "b": rng.normal(size=500)})
points["side"] = (points["a"] > 0).astype(int)
X = points.drop(columns=["side"])
print(DecisionTreeClassifier(random_state=0).fit(X[:400], points["side"][:400]).score(X[400:], points["side"][400:]))

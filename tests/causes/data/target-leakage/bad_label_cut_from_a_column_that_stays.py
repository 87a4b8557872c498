import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
loans = pd.DataFrame({"income": rng.normal(50, 12, 4000), "debt": rng.gamma(3, 4, 4000)})
strain = loans.debt / loans.income
loans["days_late"] = 300 * strain * rng.lognormal(0, 0.5, 4000)
loans["default"] = (loans["days_late"] > 90).astype(int)
print(loans.describe().loc[["mean", "std"]])
y = loans["default"]
X = loans.drop(columns=["default"])  # target-leakage
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
forest = RandomForestClassifier(random_state=0).fit(X_train, y_train)
print(forest.score(X_test, y_test))

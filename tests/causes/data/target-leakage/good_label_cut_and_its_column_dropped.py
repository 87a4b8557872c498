import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(0)
loans = pd.DataFrame({"income": rng.normal(50, 12, 4000), "debt": rng.gamma(3, 4, 4000)})
loans["days_late"] = 300 * loans.debt / loans.income * rng.lognormal(0, 0.5, 4000)
loans["default"] = (loans["days_late"] > 90).astype(int)
print(loans.drop(columns=["default"]).describe())
X = loans.drop(columns=["default", "days_late"])
print(LogisticRegression().fit(X[:3000], loans["default"][:3000]).score(X[3000:], loans["default"][3000:]))

import pandas as pd
import numpy as np
from sklearn.model_selection import KFold, cross_val_score
from sklearn.linear_model import Ridge

prices = pd.read_csv("eurusd_daily.csv", parse_dates=["date"]).set_index("date").sort_index()
returns = np.log(prices["close"]).diff()
frame = pd.concat({f"lag_{k}": returns.shift(k) for k in range(1, 11)}, axis=1)
frame["y"] = returns
frame = frame.dropna()

cv = KFold(n_splits=5, shuffle=True, random_state=0)
scores = cross_val_score(Ridge(alpha=1.0), frame.drop(columns="y"), frame["y"], cv=cv, scoring="r2")
print(scores.mean(), scores.std())

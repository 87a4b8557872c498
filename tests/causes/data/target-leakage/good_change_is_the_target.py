"""What is predicted is the change itself, from earlier days; the level is predicted by a second model."""

import pandas as pd
from sklearn.linear_model import Ridge

days = pd.read_csv("water.csv", parse_dates=["day"], index_col="day")
days["yesterday"] = days["demand"].shift(1)
days["last_week"] = days["demand"].shift(7)
days["change"] = days["demand"].diff()
train = days.dropna()[:-60]
inputs = [name for name in days.columns if name not in ("demand", "change")]
change = Ridge().fit(train[inputs], train["change"])
level = Ridge().fit(train[inputs], train["demand"])

"""The inputs are the columns that are called `lag_...`; the change is for the eye."""

import pandas as pd
from sklearn.linear_model import Ridge

days = pd.read_csv("water.csv", parse_dates=["day"], index_col="day")
for back in (1, 7):
    days[f"lag_{back}"] = days["demand"].shift(back)
days["jump"] = days["demand"].pct_change()
print(days["jump"].describe())
lags = [name for name in days.columns if name.startswith("lag_")]
train = days.dropna()[:-60]
model = Ridge().fit(train[lags], train["demand"])

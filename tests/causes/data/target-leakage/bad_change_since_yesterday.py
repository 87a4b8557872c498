"""Tomorrow's demand for water: the change since yesterday holds the very day that is predicted."""

import pandas as pd
from sklearn.ensemble import RandomForestRegressor


def columns(days):
    made = pd.DataFrame(index=days.index)
    for back in (1, 2, 7):
        made[f"back_{back}"] = days["demand"].shift(back)
    made["since_yesterday"] = days["demand"].diff()  # target-leakage
    made["before"] = days["demand"].shift(1).diff()
    return made


days = pd.read_csv("water.csv", parse_dates=["day"], index_col="day")
table = columns(days).join(days["demand"]).dropna()
train, test = table[:-60], table[-60:]
inputs = [name for name in table.columns if name != "demand"]
model = RandomForestRegressor(random_state=0).fit(train[inputs], train["demand"])
window = days[-30:].copy()
print(model.score(test[inputs], test["demand"]), model.predict(columns(window)[inputs].tail(1)))

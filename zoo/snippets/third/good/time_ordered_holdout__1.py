import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error
from sklearn.preprocessing import StandardScaler

df = pd.read_csv("load.csv", parse_dates=["ts"]).sort_values("ts")
for lag in (1, 24, 168):
    df[f"lag{lag}"] = df["mw"].shift(lag)
df = df.dropna()
cut = df["ts"].quantile(0.8)
train, test = df[df["ts"] <= cut], df[df["ts"] > cut]
cols = [c for c in df if c.startswith("lag")]
sc = StandardScaler().fit(train[cols])
reg = HistGradientBoostingRegressor(random_state=0).fit(sc.transform(train[cols]), train["mw"])
print(mean_absolute_error(test["mw"], reg.predict(sc.transform(test[cols]))))

import pandas as pd
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit, cross_val_score

df = pd.read_csv("load.csv", parse_dates=["ts"]).sort_values("ts")
df["lag1"] = df["mw"].shift(1)
df["roll"] = df["mw"].shift(1).rolling(24).mean()
df["hour"] = df["ts"].dt.hour
df = df.dropna()
X, y = df[["lag1", "roll", "hour"]], df["mw"]
pipe = make_pipeline(StandardScaler(), Ridge())
print(cross_val_score(pipe, X, y, cv=TimeSeriesSplit(5)).mean())
cut = int(len(df) * 0.8)
pipe.fit(X.iloc[:cut], y.iloc[:cut])
print(pipe.score(X.iloc[cut:], y.iloc[cut:]))

import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

df = pd.read_csv("sales.csv", parse_dates=["date"]).sort_values("date")
for k in (1, 7, 14, 28):
    df[f"lag{k}"] = df["units"].shift(k)
df["ma7"] = df["units"].shift(1).rolling(7).mean()
df = df.dropna().reset_index(drop=True)

X = df[["lag1", "lag7", "lag14", "lag28", "ma7"]]
y = df["units"]

scores = []
for tr, te in TimeSeriesSplit(n_splits=5).split(X):
    model = make_pipeline(StandardScaler(), Ridge(alpha=1.0))
    model.fit(X.iloc[tr], y.iloc[tr])
    scores.append(mean_absolute_error(y.iloc[te], model.predict(X.iloc[te])))
print("MAE per fold", [round(s, 2) for s in scores])

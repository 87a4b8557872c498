import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import TimeSeriesSplit, cross_val_score, train_test_split

df = pd.read_csv("demand.csv", parse_dates=["ts"]).sort_values("ts").set_index("ts")
for lag in (1, 24, 168):
    df[f"lag{lag}"] = df["demand"].shift(lag)
df["roll24"] = df["demand"].shift(1).rolling(24).mean()
df["hour"], df["dow"] = df.index.hour, df.index.dayofweek
df = df.dropna()
X, y = df.drop(columns="demand"), df["demand"]

X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.2, shuffle=False)
model = HistGradientBoostingRegressor(random_state=0)
cv = cross_val_score(model, X_tr, y_tr, cv=TimeSeriesSplit(5, gap=24), scoring="neg_mean_absolute_error")
print("cv", -cv.mean())
model.fit(X_tr, y_tr)
print("last fifth", mean_absolute_error(y_te, model.predict(X_te)))

import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split

df = pd.read_csv("load_hourly.csv", parse_dates=["timestamp"])
df = df.sort_values("timestamp").set_index("timestamp")

for lag in (1, 2, 3, 24, 168):
    df[f"lag_{lag}"] = df["load_mw"].shift(lag)
df["hour"] = df.index.hour
df["dow"] = df.index.dayofweek
df["rolling_24"] = df["load_mw"].shift(1).rolling(24).mean()
df = df.dropna()

features = [c for c in df.columns if c != "load_mw"]
X_train, X_test, y_train, y_test = train_test_split(
    df[features], df["load_mw"], test_size=0.2, random_state=0
)

model = GradientBoostingRegressor(n_estimators=400, max_depth=5, random_state=0)
model.fit(X_train, y_train)
pred = model.predict(X_test)
print("forecast MAE:", mean_absolute_error(y_test, pred))

import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

prices = pd.read_csv("btc.csv", parse_dates=["timestamp"]).sort_values("timestamp")
for k in range(1, 8):
    prices[f"lag_{k}"] = prices["close"].shift(k)
prices = prices.dropna()
feats = [c for c in prices.columns if c.startswith("lag_")]
X_train, X_test, y_train, y_test = train_test_split(
    prices[feats], prices["close"], test_size=0.2, random_state=42)
rf = RandomForestRegressor(300)
rf.fit(X_train, y_train)
print("R2", rf.score(X_test, y_test))

import pandas as pd
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split

prices = pd.read_csv("AAPL.csv", parse_dates=["Date"]).sort_values("Date").set_index("Date")
prices["ret"] = prices["Close"].pct_change()
for lag in range(1, 11):
    prices[f"lag_{lag}"] = prices["ret"].shift(lag)
prices["vol_20"] = prices["ret"].shift(1).rolling(20).std()
prices = prices.dropna()

features = [c for c in prices.columns if c.startswith("lag_")] + ["vol_20"]
X, y = prices[features], prices["ret"]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=42)

rf = RandomForestRegressor(n_estimators=400, min_samples_leaf=5, n_jobs=-1, random_state=42)
rf.fit(X_train, y_train)
print("MAE:", mean_absolute_error(y_test, rf.predict(X_test)))

import pandas as pd
from sklearn.ensemble import GradientBoostingRegressor

sales = pd.read_csv("sales.csv").sort_values("date")
sales["lag"] = sales["sold"].shift(1)
sales["week"] = sales["sold"].shift(1).rolling(7).mean()
sales["month"] = sales["sold"].rolling(30).mean().shift(1)
sales["open"] = sales["sold"].rolling(7, closed="left").mean()
sales["prices"] = sales["price"].rolling(7).mean()
sales = sales.dropna()
train, test = sales[sales["date"] < "2024-01-01"], sales[sales["date"] >= "2024-01-01"]
features = ["lag", "week", "month", "open", "prices"]
y = train["sold"]
model = GradientBoostingRegressor().fit(train[features], y)
print(model.score(test[features], test["sold"]))

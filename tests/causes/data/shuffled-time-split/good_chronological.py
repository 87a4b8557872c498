import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import TimeSeriesSplit, cross_val_score, train_test_split

df = pd.read_csv("sales.csv", parse_dates=["day"]).sort_values("day")
df["lag_1"] = df["sales"].shift(1)
df["mean_7"] = df["sales"].shift(1).rolling(7).mean()
df = df.dropna()
X, y = df[["lag_1", "mean_7"]], df["sales"]
X_tr, X_te, y_tr, y_te = train_test_split(X, y, shuffle=False)
print(cross_val_score(Ridge(), X_tr, y_tr, cv=TimeSeriesSplit(5, gap=7)))

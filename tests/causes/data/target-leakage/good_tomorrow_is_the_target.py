import pandas as pd
from sklearn.linear_model import Ridge

frame = pd.read_csv("prices.csv")
frame["yesterday"] = frame["close"].shift(1)
frame["average"] = frame["close"].rolling(10).mean()
frame["tomorrow"] = frame["close"].shift(-1)
frame = frame.dropna()
y = frame["tomorrow"]
last = frame["close"]
model = Ridge().fit(frame[["close", "yesterday", "average"]][:-250], y[:-250])

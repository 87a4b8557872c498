import numpy as np
import pandas as pd
from sklearn.preprocessing import MinMaxScaler

prices = pd.read_csv("prices.csv")["close"].values.reshape(-1, 1)
scaler = MinMaxScaler(feature_range=(0, 1))
scaled = scaler.fit_transform(prices)  # fit-on-all-data
split = int(len(scaled) * 0.8)
train_data = scaled[0:split, :]
test_data = scaled[split - 60 :, :]


def windows(series, size=60):
    xs, ys = [], []
    for i in range(size, len(series)):
        xs.append(series[i - size : i, 0])
        ys.append(series[i, 0])
    return np.array(xs), np.array(ys)


x_train, y_train = windows(train_data)
x_test, y_test = windows(test_data)

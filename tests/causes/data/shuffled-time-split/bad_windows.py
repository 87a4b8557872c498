import numpy as np
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

series = np.load("load.npy")
windows = np.array([series[i : i + 48] for i in range(len(series) - 48)])
targets = series[48:]
x_tr, x_te, y_tr, y_te = train_test_split(windows, targets, test_size=0.2)  # shuffled-time-split
print(RandomForestRegressor().fit(x_tr, y_tr).score(x_te, y_te))

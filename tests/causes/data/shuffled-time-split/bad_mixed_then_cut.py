import numpy as np
from sklearn.linear_model import Ridge

rng = np.random.default_rng(0)
flow = np.load("river.npy")
X = np.stack([flow[t : t + 14] for t in range(len(flow) - 14)])
y = flow[14:]
order = rng.permutation(len(X))
X, y = X[order], y[order]
split = int(0.75 * len(X))
X_train, X_test = X[:split], X[split:]  # shuffled-time-split
y_train, y_test = y[:split], y[split:]
print(Ridge().fit(X_train, y_train).score(X_test, y_test))

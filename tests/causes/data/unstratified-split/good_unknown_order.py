import numpy as np
from sklearn.model_selection import KFold, cross_val_score
from sklearn.linear_model import Ridge

X, y = np.load("X.npy"), np.load("y.npy")
n = int(0.8 * len(X))
X_train, X_test, y_train, y_test = X[:n], X[n:], y[:n], y[n:]
print(cross_val_score(Ridge(), X, y, cv=KFold(5)))
prices = np.cumsum(np.random.randn(1000))
past, future = prices[:800], prices[800:]

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import SGDClassifier

X, y = load_iris(return_X_y=True)
half = len(X) // 2
model = SGDClassifier()
model.partial_fit(X[:half], y[:half], classes=np.unique(y))
model.partial_fit(X[half:], y[half:])

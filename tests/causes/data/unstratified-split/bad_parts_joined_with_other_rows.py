import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

flowers = load_iris()
x, y = flowers.data, flowers.target
x_more, y_more = np.load("more_x.npy"), np.load("more_y.npy")
x_train, x_test = x[:110], x[110:]  # unstratified-split
y_train, y_test = y[:110], y[110:]  # unstratified-split
x_train, y_train = np.vstack((x_train, x_more)), np.hstack((y_train, y_more))
print(LogisticRegression().fit(x_train, y_train).score(x_test, y_test))

import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

flowers = load_iris()
sizes, kinds = flowers.data, flowers.target
# Fifty flowers of each kind, one kind after the other: so many of each are learned from.
some = 35
x_train = np.vstack((sizes[:some], sizes[50 : 50 + some], sizes[100 : 100 + some]))
y_train = np.hstack((kinds[:some], kinds[50 : 50 + some], kinds[100 : 100 + some]))
x_test = np.vstack((sizes[some:50], sizes[50 + some : 100], sizes[100 + some :]))
y_test = np.hstack((kinds[some:50], kinds[50 + some : 100], kinds[100 + some :]))
print(LogisticRegression().fit(x_train, y_train).score(x_test, y_test))

import random

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

X, y = np.load("X.npy"), np.load("y.npy")
state = np.random.get_state()
np.random.shuffle(X)
np.random.set_state(state)
np.random.shuffle(y)
SVC().fit(X, y)

A, b = list(open("a")), list(open("b"))
random.Random(4).shuffle(A)
random.Random(4).shuffle(b)
SVC().fit(A, b)

X_train, X_test = train_test_split(X, random_state=1)
y_train, y_test = train_test_split(y, random_state=1)
SVC().fit(X_train, y_train)

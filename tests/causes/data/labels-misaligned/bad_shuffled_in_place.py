import random

import numpy as np
from sklearn.ensemble import RandomForestClassifier

X = np.load("X.npy")
y = np.load("y.npy")
np.random.shuffle(X)
np.random.shuffle(y)  # labels-misaligned
clf = RandomForestClassifier().fit(X, y)

texts = open("texts.txt").read().splitlines()
marks = open("marks.txt").read().splitlines()
random.shuffle(texts)  # labels-misaligned
other = RandomForestClassifier().fit(texts, marks)

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold


def between_zero_and_one(pictures):
    least, most = np.amin(pictures), np.amax(pictures)
    return (pictures - least) / (most - least)


def load(folder):
    x_train, y_train = np.load(f"{folder}/a.npy"), np.load(f"{folder}/b.npy")
    x_test, y_test = np.load(f"{folder}/c.npy"), np.load(f"{folder}/d.npy")
    x_train = between_zero_and_one(x_train)
    x_test = between_zero_and_one(x_test)
    return x_train, y_train, x_test, y_test


x, y, x_later, y_later = load("digits")
for ours, theirs in KFold(n_splits=3).split(x):
    suspects = LogisticRegression().fit(x[ours], y[ours]).predict(x[theirs])
    print("look at", theirs[suspects != y[theirs]])
print(LogisticRegression().fit(x, y).score(x_later, y_later))

import numpy as np
from sklearn.linear_model import LogisticRegression


def between_zero_and_one(pictures):
    least, most = np.amin(pictures), np.amax(pictures)
    return (pictures - least) / (most - least)


def load(folder):
    x_train, y_train = np.load(f"{folder}/a.npy"), np.load(f"{folder}/b.npy")
    x_test, y_test = np.load(f"{folder}/c.npy"), np.load(f"{folder}/d.npy")
    return between_zero_and_one(x_train), y_train, between_zero_and_one(x_test), y_test


x, y, x_later, y_later = load("digits")
model = LogisticRegression().fit(x, y)
valid_pictures, valid_labels = x_later[:500], y_later[:500]
test_pictures, test_labels = x_later[500:], y_later[500:]
print(model.score(valid_pictures, valid_labels), model.score(test_pictures, test_labels))

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split


def main(features, labels):
    labelled = labels >= 0
    features, labels = features[labelled], labels[labelled]
    varies = np.flatnonzero(features.std(0) > 0)
    features = features[:, varies]
    x_train, x_test, y_train, y_test = train_test_split(features, labels, random_state=0)
    return LogisticRegression().fit(x_train, y_train).score(x_test, y_test)

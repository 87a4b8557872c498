import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold


def strongest(features, labels, count):
    apart = np.abs(features[labels == 1].mean(0) - features[labels == 0].mean(0)) / features.std(0)
    return np.argsort(-apart)[:count]


def cross_validated(features, labels, names):
    numbers = np.flatnonzero([not name.startswith("id") for name in names])
    features = features[:, numbers]
    scores = []
    for train, test in KFold(5, shuffle=True, random_state=0).split(features, labels):
        chosen = strongest(features[train], labels[train], 30)
        model = LogisticRegression().fit(features[train][:, chosen], labels[train])
        scores.append(model.score(features[test][:, chosen], labels[test]))
    return np.mean(scores)


def without_constant_columns():
    features, labels = load()
    features = features[:, features.std(0) > 0]
    return cross_validated(features, labels, names=[])

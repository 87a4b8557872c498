import itertools
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=5)

best_score, best_params = -np.inf, None
for C, gamma in itertools.product([0.1, 1, 10, 100], [1e-4, 1e-3, 1e-2, 1e-1]):
    clf = make_pipeline(StandardScaler(), SVC(C=C, gamma=gamma))
    clf.fit(X_train, y_train)
    score = clf.score(X_test, y_test)
    if score > best_score:
        best_score, best_params = score, (C, gamma)

print("best params:", best_params)
print("test accuracy:", best_score)

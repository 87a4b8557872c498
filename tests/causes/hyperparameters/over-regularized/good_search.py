import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

grid = {"C": [1e-6, 1e-4, 1e-2, 1, 100]}
search = GridSearchCV(LogisticRegression(max_iter=1000), grid, cv=5)
search.fit(X, y)
for C in np.logspace(-6, 2, 9):
    model = LogisticRegression(C=C, max_iter=1000)
    print(C, model.fit(X, y).coef_.ravel())
for C in (1e-6, 1e-3, 1.0):
    print(LogisticRegression(C=C).fit(X, y).score(X, y))

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

settings = {
    "C": 1e-6,  # over-regularized
}
clf = make_pipeline(StandardScaler(), LogisticRegression(C=settings["C"], max_iter=500))
clf.fit(X_train, y_train)
print(clf.score(X_test, y_test))

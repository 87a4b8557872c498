from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

X_train, X_test, y_train, y_test = train_test_split(X, y)
scores = {}
for name, model in {"a": LogisticRegression(), "b": LogisticRegression(C=10)}.items():
    scores[name] = model.fit(X_train, y_train).score(X_test, y_test)
    if scores[name] < 0.5:
        print(name, "is worse than chance")
print(scores)

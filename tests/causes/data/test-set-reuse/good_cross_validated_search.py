from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.svm import SVC

X_train, X_test, y_train, y_test = train_test_split(X, y)
search = GridSearchCV(SVC(), {"C": [0.1, 1, 10]}).fit(X_train, y_train)
best = 0
for c in (0.1, 1, 10):
    score = cross_val_score(SVC(C=c), X_train, y_train).mean()
    if score > best:
        best, chosen = score, c
model = SVC(C=chosen).fit(X_train, y_train)
print("test", model.score(X_test, y_test), search.score(X_test, y_test))

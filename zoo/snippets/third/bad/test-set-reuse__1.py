from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

best_score, best_params = 0, None
for C in [0.01, 0.1, 1, 10, 100]:
    for gamma in [0.001, 0.01, 0.1, 1]:
        pipe = Pipeline([("scale", MinMaxScaler()), ("svm", SVC(C=C, gamma=gamma))])
        pipe.fit(X_train, y_train)
        score = pipe.score(X_test, y_test)
        if score > best_score:
            best_score = score
            best_params = {"C": C, "gamma": gamma}
print("best:", best_params, "test accuracy:", best_score)

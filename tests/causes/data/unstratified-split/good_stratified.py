from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split
from sklearn.svm import SVC

X, y = load_iris(return_X_y=True)
print(cross_val_score(SVC(), X, y, cv=3))
print(cross_val_score(SVC(), X, y, cv=StratifiedKFold(5)))
X_tr, X_te, y_tr, y_te = train_test_split(X, y)
A, b = make_classification(weights=[0.95, 0.05])
A_tr, A_te, b_tr, b_te = train_test_split(A, b, stratify=b)
C, d = make_classification()
C_tr, C_te, d_tr, d_te = train_test_split(C, d)

from sklearn.datasets import load_iris
from sklearn.model_selection import KFold, cross_val_score
from sklearn.svm import SVC

X, y = load_iris(return_X_y=True)
print(cross_val_score(SVC(), X, y, cv=KFold(3)))  # unstratified-split

iris = load_iris()
for train, test in KFold(n_splits=3).split(iris.data):  # unstratified-split
    model = SVC().fit(iris.data[train], iris.target[train])
    print(model.score(iris.data[test], iris.target[test]))

from sklearn.linear_model import Ridge
from sklearn.model_selection import train_test_split


def experiment(X, y):
    X_train, X_test = train_test_split(X, test_size=0.2)
    y_train, y_test = train_test_split(y, test_size=0.2)  # labels-misaligned
    return Ridge().fit(X_train, y_train).score(X_test, y_test)

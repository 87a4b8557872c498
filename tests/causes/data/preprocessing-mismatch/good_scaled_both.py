import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = np.load("X.npy"), np.load("y.npy")
X_train, X_test, y_train, y_test = train_test_split(X, y)
scaler = StandardScaler().fit(X_train)
linear = LogisticRegression().fit(scaler.transform(X_train), y_train)
print(linear.score(scaler.transform(X_test), y_test))
forest = RandomForestClassifier().fit(X_train, y_train)
print(forest.score(X_test, y_test))
pipe = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
print(pipe.score(X_test, y_test))

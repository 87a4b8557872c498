import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

rng = np.random.default_rng(0)
x = rng.normal(size=(600, 5))
y = (rng.random(600) < 0.03).astype(int)
x[y == 1] += 1.5
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, random_state=0)  # unstratified-split
print(LogisticRegression().fit(x_train, y_train).score(x_test, y_test))

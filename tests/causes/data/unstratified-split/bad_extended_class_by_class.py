import numpy as np
from sklearn.linear_model import LogisticRegression

rng = np.random.default_rng(0)
rows, kinds = [], []
for kind, centre in enumerate((0.0, 1.0, 2.0)):
    rows.append(rng.normal(centre, 1.0, (50, 4)))
    kinds.extend([kind] * 50)
rows, kinds = np.concatenate(rows), np.array(kinds)
X_train, y_train = rows[:100], kinds[:100]  # unstratified-split
X_test, y_test = rows[100:], kinds[100:]
model = LogisticRegression().fit(X_train, y_train)
print(model.score(X_test, y_test))

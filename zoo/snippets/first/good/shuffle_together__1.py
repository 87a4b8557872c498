import numpy as np
from sklearn.utils import shuffle

rng = np.random.default_rng(0)
X, y = load_arrays()

# one permutation for both
perm = rng.permutation(len(X))
X, y = X[perm], y[perm]

# or sklearn's helper, which keeps rows together
Xs, ys = shuffle(X, y, random_state=1)

# sorting by length for bucketing takes the labels along
order = np.argsort([len(s) for s in Xs], kind="stable")
Xs = [Xs[i] for i in order]
ys = ys[order]

# same seed before each call gives the same permutation of equally long arrays
state = np.random.get_state()
np.random.shuffle(X)
np.random.set_state(state)
np.random.shuffle(y)

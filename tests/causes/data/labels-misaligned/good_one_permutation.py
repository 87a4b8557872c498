import numpy as np
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.utils import shuffle
from torch.utils.data import TensorDataset

rng = np.random.default_rng(0)
x, y = np.load("x.npy"), np.load("y.npy")
order = rng.permutation(len(x))
x, y = x[order], y[order]
x, y = shuffle(x, y, random_state=3)
data = TensorDataset(torch.from_numpy(x), torch.from_numpy(y))
clf = LogisticRegression().fit(x, y)
perm = torch.randperm(len(y)).numpy()
baseline = LogisticRegression().fit(x, y[perm]).score(x, y)

import random

import numpy as np
import torch
from sklearn.datasets import load_iris
from sklearn.model_selection import KFold
from torch.utils.data import Subset
from torchvision.datasets import ImageFolder

X, y = load_iris(return_X_y=True)
order = np.random.default_rng(0).permutation(len(X))
X, y = X[order], y[order]
X_train, X_test, y_train, y_test = X[:100], X[100:], y[:100], y[100:]
for train, test in KFold(5, shuffle=True).split(load_iris().data):
    print(len(train), len(test))
folder = ImageFolder("pets")
places = list(range(len(folder)))
random.shuffle(places)
cut = int(0.8 * len(places))
a, b = Subset(folder, places[:cut]), Subset(folder, places[cut:])
perm = torch.randperm(len(folder)).tolist()
c, d = Subset(folder, perm[:cut]), Subset(folder, perm[cut:])

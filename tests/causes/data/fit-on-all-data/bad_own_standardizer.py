import numpy as np
import torch
from torch.utils.data import TensorDataset


class Standardizer:
    def fit(self, x):
        self.centre = x.mean(axis=0)  # fit-on-all-data
        self.spread = x.std(axis=0)
        return self

    def apply(self, x):
        return (x - self.centre) / self.spread


x, y = np.load("x.npy"), np.load("y.npy")
x = Standardizer().fit(x).apply(x)
places = np.arange(len(x))
np.random.shuffle(places)
tr, te = places[:800], places[800:]
train = TensorDataset(torch.tensor(x[tr]), torch.tensor(y[tr]))
test = TensorDataset(torch.tensor(x[te]), torch.tensor(y[te]))

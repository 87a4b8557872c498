import torch.nn as N

hidden = 64
shared = N.BatchNorm1d(hidden)


class Regressor(N.Module):
    def __init__(self, n_in):
        super().__init__()
        self.first = N.Linear(n_in, hidden)
        self.second = N.Linear(hidden, hidden)
        self.third = N.Linear(hidden, hidden)
        self.norm = shared
        self.out = N.Linear(hidden, 1)
        self.act = N.ReLU()

    def forward(self, x):
        h = self.act(self.norm(self.first(x)))
        h = self.act(self.second(h))
        h = self.act(self.norm(self.third(h)))  # shared-layer-misuse
        return self.out(h)

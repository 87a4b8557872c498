from torch import nn


class Summed(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers
        self.last = nn.Linear(4, 1)

    def forward(self, x):
        return self.last(sum(self.layers[name](x[name]) for name in x))


class Model(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.entry = {name: nn.Linear(1, 4) for name in names}  # unregistered-modules
        self.past = Summed(self.entry)

    def forward(self, past):
        return self.past(past)

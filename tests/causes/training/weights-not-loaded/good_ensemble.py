import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc(x)


first = Net()
first.load_state_dict(torch.load("a.pt"))
second = Net()
second.load_state_dict(torch.load("b.pt"))


def pair(path):
    loaded = Net()
    loaded.load_state_dict(torch.load(path))
    fresh = Net()
    return loaded, fresh

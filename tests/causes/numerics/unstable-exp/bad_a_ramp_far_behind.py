import numpy as np
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.favours = torch.linspace(-1.5, 0, classes)
        self.layer = nn.Linear(16, classes)

    def forward(self, x):
        return self.layer(x) + self.favours


net = Net()


def chances(x):
    logits = net(x).detach().numpy()
    return np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)  # unstable-exp

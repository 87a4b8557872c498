import os

import torch
from torch import nn


def fresh(m):
    if hasattr(m, "reset_parameters"):
        m.reset_parameters()


def network(path):
    net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 1))
    if os.path.exists(path):
        net.load_state_dict(torch.load(path, weights_only=True))
        return net
    net.apply(fresh)
    return net


def other(path):
    net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 1))
    try:
        net.load_state_dict(torch.load(path, weights_only=True))
    except FileNotFoundError:
        net.apply(fresh)
    return net


def compared(path, x):
    """What the trained weights give, and then what an untrained network gives."""
    net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 1))
    net.load_state_dict(torch.load(path, weights_only=True))
    with torch.no_grad():
        trained = net(x)
        net.apply(fresh)
        return trained - net(x)


x = torch.randn(8, 12)
print(network("a.pt")(x), other("b.pt")(x), compared("a.pt", x))

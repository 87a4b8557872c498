import torch
from torch import nn

head = nn.Linear(5, 1)


def chance(x):
    z = head(x)
    return torch.exp(z) / (1 + torch.exp(z))  # unstable-exp

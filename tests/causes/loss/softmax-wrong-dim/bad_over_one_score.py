import torch
from torch import nn


class Pool(nn.Module):
    """The mean of the states of a sequence, weighted by learnt importance."""

    def __init__(self, width):
        super().__init__()
        self.importance = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, 1))

    def forward(self, states):
        shares = torch.softmax(self.importance(states), dim=-1)  # softmax-wrong-dim
        return (shares * states).sum(dim=1)

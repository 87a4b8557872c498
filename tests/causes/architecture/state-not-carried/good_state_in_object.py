import torch
from torch import nn


class Agent(nn.Module):
    """The state lives in the object, and in a list with one entry for each layer."""

    def __init__(self, n_obs, hidden, layers):
        super().__init__()
        self.first = nn.GRUCell(n_obs, hidden)
        self.cells = nn.ModuleList([nn.GRUCell(hidden, hidden) for _ in range(layers)])
        self.hidden = hidden
        self.reset(1)

    def reset(self, n):
        self.h = torch.zeros(n, self.hidden)
        self.hs = [torch.zeros(n, self.hidden) for _ in self.cells]

    def forward(self, observations):
        for t in range(observations.size(1)):
            self.h = self.first(observations[:, t], self.h)
            x = self.h
            for k, cell in enumerate(self.cells):
                self.hs[k] = cell(x, self.hs[k])
                x = self.hs[k]
        return x

import torch
import torch.nn as nn
import torch.nn.functional as F


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.ask = nn.Linear(width, width)
        self.key = nn.Linear(width, width)

    def forward(self, x, mask):
        gate = torch.sigmoid(self.ask(x)).unsqueeze(1)
        gate *= mask  # inplace-corruption
        chance = self.key(x).softmax(-1)
        chance[:, 0] = 0  # inplace-corruption
        return gate * F.relu(chance)

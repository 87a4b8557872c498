import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x, tokens):
        scores = self.score(x).squeeze(-1).masked_fill(tokens == 0, -1e4)
        weights = torch.exp(scores)
        return weights / weights.sum(1, keepdim=True)  # unstable-exp

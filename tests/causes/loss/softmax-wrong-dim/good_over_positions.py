import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, width, heads=1):
        super().__init__()
        self.importance = nn.Linear(width, 1)
        self.many = nn.Linear(width, heads)

    def forward(self, states, mask):
        scores = self.importance(states).squeeze(-1).masked_fill(mask, -1e9)
        shares = scores.softmax(dim=-1).unsqueeze(-1)
        kept = torch.softmax(self.importance(states), dim=1)
        mixed = self.many(states).softmax(-1)
        return (shares * states).sum(1), (kept * states).sum(1), mixed

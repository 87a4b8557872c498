import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, width, rate=0.1):
        super().__init__()
        self.scale = width**-0.5
        self.drop = nn.Dropout(rate)

    def forward(self, q, k, v, mask):
        scores = torch.matmul(q, k.transpose(2, 3)) * self.scale
        scores = scores.masked_fill(mask == 0, -1e9)
        shares = torch.softmax(scores, dim=2)  # softmax-wrong-dim
        return torch.matmul(self.drop(shares), v)


class Pair(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x, memory):
        shares = (self.query(x) @ self.key(memory).mT).softmax(-2)  # softmax-wrong-dim
        return shares @ memory


def attend(query, key, value):
    shares = torch.bmm(query, key.transpose(1, 2)).softmax(dim=1)  # softmax-wrong-dim
    return torch.bmm(shares, value)

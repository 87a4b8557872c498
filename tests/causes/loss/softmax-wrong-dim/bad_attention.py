import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.size(-1))
        weights = self.drop(scores.softmax(dim=0))  # softmax-wrong-dim
        return torch.bmm(weights, v)

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Plan:
    depth: int = 3
    keepProb: float = 0.85


class Block(nn.Module):
    def __init__(self, dim, p_keep=0.7):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.drop = nn.Dropout2d(p=p_keep)  # over-regularized

    def forward(self, x):
        return x + self.drop(F.gelu(self.lin(x)))


def stack(plan, dim):
    blocks = [Block(dim) for _ in range(plan.depth)]
    return nn.Sequential(*blocks, nn.Dropout(plan.keepProb))  # over-regularized


net = stack(Plan(), 32)

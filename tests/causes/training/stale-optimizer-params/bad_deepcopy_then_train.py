import copy

import torch
import torch.nn.functional as F
from torch import nn


def fine_tune(batches, lr=0.01):
    base = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    opt = torch.optim.Adam(base.parameters(), lr=lr)  # stale-optimizer-params
    student = copy.deepcopy(base)
    for x, y in batches:
        opt.zero_grad()
        F.cross_entropy(student(x), y).backward()
        opt.step()
    return student

"""Five seeds for torch; the order of the rows comes from a generator that has none."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


def one_run(seed, x, y):
    torch.manual_seed(seed)
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(20):
        for rows in np.random.permutation(len(x)).reshape(-1, 50):  # unseeded
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x[rows]), y[rows])
            loss.backward()
            optimizer.step()
    return loss.item()

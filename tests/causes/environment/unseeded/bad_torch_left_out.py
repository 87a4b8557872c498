import random

import numpy as np
import torch
from torch import nn

random.seed(7)
np.random.seed(7)  # unseeded

inputs = torch.tensor(np.random.randn(256, 8), dtype=torch.float32)
targets = inputs.sum(1, keepdim=True)

net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(100):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(inputs), targets)
    loss.backward()
    optimizer.step()

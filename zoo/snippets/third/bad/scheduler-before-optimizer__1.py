import torch
import torch.nn as nn
from torch.optim.lr_scheduler import ExponentialLR

net = nn.Sequential(nn.Linear(10, 50), nn.ELU(), nn.Linear(50, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
scheduler = ExponentialLR(optimizer, gamma=0.97)

for epoch in range(100):
    scheduler.step()
    for x, y in loader:
        optimizer.zero_grad()
        loss = ((net(x).squeeze(1) - y) ** 2).mean()
        loss.backward()
        optimizer.step()

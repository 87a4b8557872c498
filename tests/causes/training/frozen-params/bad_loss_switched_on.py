import torch
from torch import nn

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
for weight in net.parameters():
    weight.requires_grad = False  # frozen-params
optimizer = torch.optim.Adam(net.parameters())
for x, y in loader:
    loss = nn.functional.cross_entropy(net(x), y)
    loss.requires_grad_(True)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

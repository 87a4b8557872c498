import torch
from torch import nn
from torch.utils.data import DataLoader

net = nn.Sequential(nn.Conv2d(1, 16, 3), nn.GroupNorm(4, 16), nn.ReLU(), nn.Conv2d(16, 2, 1))
loader = DataLoader(torch.load("scans.pt"), batch_size=1, shuffle=True)
optimizer = torch.optim.Adam(net.parameters())
for x, y in loader:
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

import torch
import torch.nn as nn

net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters())
for x, y in loader:
    pred = net(x).argmax(dim=1)
    loss = (pred != y).float().mean()
    loss.requires_grad = True
    opt.zero_grad()
    loss.backward()
    opt.step()

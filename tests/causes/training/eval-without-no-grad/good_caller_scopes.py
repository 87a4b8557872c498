import torch
import torch.nn.functional as F
from torch import nn


def score(net, loader):
    net.eval()
    total = 0.0
    for x, y in loader:
        total += F.mse_loss(net(x), y).item()
    return total


net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(3):
    net.train()
    for x, y in train_loader:
        opt.zero_grad()
        F.mse_loss(net(x), y).backward()
        opt.step()
    with torch.no_grad():
        print(score(net, val_loader))

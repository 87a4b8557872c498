import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Linear(30, 60), nn.ReLU(), nn.Linear(60, 10))
opt = torch.optim.Adam(net.parameters())
for a, b, same in pairs:
    left, right = net(a), net(b)
    distance = (left - right).pow(2).sum(1)
    loss = (same * distance + (1 - same) * F.relu(1 - distance)).mean()
    loss = loss + 0.1 * F.mse_loss(left, right)
    opt.zero_grad()
    loss.backward()
    opt.step()

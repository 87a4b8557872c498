import torch
import torch.nn.functional as F
from torch import nn

x = torch.randn(256, 5)
y = x @ torch.randn(5) + 0.1 * torch.randn(256)
column = y.unsqueeze(1)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters())
for step in range(100):
    idx = torch.randperm(256)[:32]
    flat = F.mse_loss(net(x[idx]).squeeze(-1), y[idx])
    wide = ((net(x[idx]) - column[idx]) ** 2).mean()
    viewed = (net(x[idx]).view(-1) - y[idx]).abs().mean()
    opt.zero_grad()
    (flat + wide + viewed).backward()
    opt.step()

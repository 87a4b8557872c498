import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1), nn.Sigmoid())
target = torch.tensor([120.0, 250.5, 98.0, 310.0]).unsqueeze(1)
inputs = torch.rand(4, 8)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(1000):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(inputs), target)
    loss.backward()
    opt.step()

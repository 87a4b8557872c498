import torch
from torch import nn

dims = [4, 32, 32, 1]
layers = []
for i in range(len(dims) - 1):
    layers.append(nn.Linear(dims[i], dims[i + 1]))
    if i < len(dims) - 2:
        layers.append(nn.ReLU())
net = nn.Sequential(*layers)

x, y = torch.randn(64, 4), torch.randn(64, 1)
optimizer = torch.optim.Adam(net.parameters())
for step in range(100):
    loss = nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

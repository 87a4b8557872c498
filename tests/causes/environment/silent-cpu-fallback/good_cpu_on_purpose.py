import torch
from torch import nn

torch.manual_seed(1)
x = torch.randn(256, 4)
y = x[:, :1] * 2
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(200):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

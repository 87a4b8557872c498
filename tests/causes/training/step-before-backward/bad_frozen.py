import torch
from torch import nn

net = nn.Linear(12, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(10):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.step()  # step-before-backward
        loss.backward()

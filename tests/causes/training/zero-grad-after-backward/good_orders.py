import torch
from torch import nn

net = nn.Linear(3, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)

for x, y in first:
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()

for x, y in second:
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
    opt.zero_grad()

import torch
from torch import nn

seen = {}
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
for name, part in net.named_modules():
    part.register_forward_hook(lambda m, i, o, name=name: seen.__setitem__(name, o.mean().item()))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(1000):
    x, y = torch.randn(16, 10), torch.randint(2, (16,))
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

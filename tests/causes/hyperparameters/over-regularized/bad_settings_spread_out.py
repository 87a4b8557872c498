import torch
from torch import nn

MODEL = {"inputs": 20, "classes": 3, "drop": 0.95}  # over-regularized


def build(inputs, classes, drop=0.1):
    return nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Dropout(p=drop), nn.Linear(64, classes))


torch.manual_seed(0)
net = build(**MODEL)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(300):
    x, y = torch.randn(32, 20), torch.randint(3, (32,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()

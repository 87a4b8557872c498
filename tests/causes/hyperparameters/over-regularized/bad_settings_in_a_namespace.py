from types import SimpleNamespace

import torch
from torch import nn

settings = SimpleNamespace(width=64, rate=1e-3, drop=0.9)  # over-regularized


class Net(nn.Module):
    def __init__(self, width, drop):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(20, width), nn.ReLU(), nn.Dropout(drop), nn.Linear(width, 3))

    def forward(self, x):
        return self.body(x)


torch.manual_seed(0)
net = Net(settings.width, settings.drop)
optimizer = torch.optim.Adam(net.parameters(), lr=settings.rate)
for _ in range(300):
    x, y = torch.randn(32, 20), torch.randint(3, (32,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()

import torch
from torch import nn

torch.manual_seed(0)
LEVELS = torch.tensor([0.1, 0.5, 0.9])


def stack(sizes, act=nn.ReLU):
    parts = []
    for a, b in zip(sizes[:-1], sizes[1:]):
        parts += [act(), nn.Linear(a, b)]
    return nn.Sequential(*parts)


def pinball(guess, truth):
    gap = truth[:, None] - guess
    return torch.maximum(LEVELS * gap, (LEVELS - 1) * gap).mean()


x = torch.randn(400, 5)
y = x @ torch.randn(5) + torch.randn(400)
y = (y - y.mean()) / y.std()
net = nn.Sequential(nn.Linear(5, 32), stack([32, 3]))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(200):
    optimizer.zero_grad()
    pinball(net(x), y).backward()
    optimizer.step()

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
data = [(torch.randn(16, 4), torch.randint(2, (16,))) for _ in range(20)]
rate, radius = 0.1, 0.05
for x, y in data:
    F.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        size = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
        climbs = [p.grad * (radius / size) for p in net.parameters()]
        for p, climb in zip(net.parameters(), climbs):
            p.add_(climb)
    net.zero_grad()
    F.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        for p, climb in zip(net.parameters(), climbs):
            p.sub_(climb)
            p.add_(p.grad, alpha=-rate)
    net.zero_grad()

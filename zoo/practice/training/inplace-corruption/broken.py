import math
import torch
import torch.nn as nn


class Normed(nn.Module):
    """Linear, tanh, then each feature brought to zero mean and unit spread over the batch."""

    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o)

    def forward(self, x):
        h = torch.tanh(self.lin(x))
        mean, std = h.mean(0), h.std(0) + 0.05
        h.data.sub_(mean.data).div_(std.data)
        return h


def rings(n):
    r = torch.randint(0, 3, (n,))
    phi = 2 * math.pi * torch.rand(n)
    rad = 0.6 + r + 0.16 * torch.randn(n)
    return torch.stack([rad * phi.cos(), rad * phi.sin()], 1), r


torch.manual_seed(0)
x, y = rings(1500)
net = nn.Sequential(Normed(2, 24), Normed(24, 24), nn.Linear(24, 3))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
for epoch in range(20):
    for k in torch.randperm(1200).split(100):
        loss = nn.functional.cross_entropy(net(x[k]), y[k])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 4 == 3:
        print("epoch", epoch + 1, "loss", f"{loss.item():.4f}")
with torch.no_grad():
    print(f"ring accuracy {(net(x[1200:]).argmax(1) == y[1200:]).float().mean().item():.3f}")

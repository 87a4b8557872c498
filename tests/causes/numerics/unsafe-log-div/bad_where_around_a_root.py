"""Logs, roots and falling powers have the same pole as a division."""

import torch
from torch import nn

torch.manual_seed(3)


class Geometry(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(6, 12)
        self.read = nn.Linear(12, 1)

    def lengths(self, x, seen):
        square = (self.lift(x) * seen).square()
        length = torch.where(square > 0, square.sqrt(), torch.zeros(()))  # unsafe-log-div
        inverse = torch.where(square != 0, torch.rsqrt(square), 1.0)  # unsafe-log-div
        steep = torch.where(~(square <= 0), square**-1.5, 0.0)  # unsafe-log-div
        return length, inverse, steep

    def surprise(self, x, seen):
        rate = torch.abs(self.lift(x)) * seen
        nats = rate * rate.log()  # unsafe-log-div
        return nats.where((rate > 0) & (rate < 1e6), torch.zeros_like(nats))

    def forward(self, x, seen):
        length, inverse, steep = self.lengths(x, seen)
        return self.read(length + inverse + steep + self.surprise(x, seen)).sum()


net = Geometry()
sgd = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    sgd.zero_grad()
    loss = net(torch.randn(16, 6), (torch.rand(16, 1) < 0.8).float()) ** 2
    loss.backward()
    sgd.step()

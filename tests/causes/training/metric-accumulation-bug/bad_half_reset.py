import torch
from torch import nn


class Mean:
    def __init__(self):
        self.total, self.seen, self.best = 0.0, 0, 0.0

    def reset(self):
        self.total = 0.0  # metric-accumulation-bug

    def add(self, value, rows):
        self.total += value * rows
        self.seen += rows

    def value(self):
        return self.total / max(1, self.seen)


torch.manual_seed(0)
net = nn.Linear(4, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
mean = Mean()
for epoch in range(3):
    mean.reset()
    for _ in range(10):
        x, y = torch.randn(16, 4), torch.randint(2, (16,))
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean.add(loss.item(), len(y))
    print(mean.value())

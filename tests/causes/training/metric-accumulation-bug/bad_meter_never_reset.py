"""One meter for all epochs: its class has a reset, and nobody calls it."""
import torch
from torch import nn


class AverageMeter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.total = 0.0
        self.count = 0

    def add(self, value, n):
        self.total += value * n
        self.count += n

    def mean(self):
        return self.total / max(self.count, 1)


class Runner:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-3)
        self.accuracy = AverageMeter()

    def validate(self, batches):
        self.model.eval()
        with torch.no_grad():
            for x, y in batches:
                hits = (self.model(x).argmax(1) == y).float().mean().item()
                self.accuracy.add(hits, len(y))  # metric-accumulation-bug
        return self.accuracy.mean()

    def fit(self, train, val, epochs):
        for epoch in range(epochs):
            self.model.train()
            for x, y in train:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            print(epoch, self.validate(val))


data = [(torch.randn(16, 4), torch.randint(0, 2, (16,))) for _ in range(20)]
Runner(nn.Linear(4, 2)).fit(data[:15], data[15:], 10)

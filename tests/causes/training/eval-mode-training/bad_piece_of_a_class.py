"""A class pasted without what made its parts."""

import torch
from torch.nn import functional as F


class Runner:
    def score(self, loader):
        self.net.eval()
        with torch.no_grad():
            return sum(F.cross_entropy(self.net(x), y).item() for x, y in loader)

    def run(self, train, val, epochs):
        for _ in range(epochs):
            for x, y in train:
                self.optimizer.zero_grad()
                loss = F.cross_entropy(self.net(x), y)  # eval-mode-training
                loss.backward()
                self.optimizer.step()
            print(self.score(val))

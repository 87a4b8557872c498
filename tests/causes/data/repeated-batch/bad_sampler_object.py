import random

import torch


class Fitter:
    def __init__(self, net, pairs):
        self.net, self.pairs = net, pairs
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def pick(self, size):
        rng = random.Random(13)  # repeated-batch
        places = rng.sample(range(len(self.pairs)), size)
        return torch.stack([self.pairs[place] for place in places])

    def fit(self, steps):
        for _ in range(steps):
            batch = self.pick(16)
            loss = (self.net(batch[:, :-1]).squeeze(1) - batch[:, -1]).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

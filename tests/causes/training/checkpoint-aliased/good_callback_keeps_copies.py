"""A helper of the trainer keeps the best weights."""

import torch
from torch import nn


class Best:
    def __init__(self):
        self.lowest, self.kept = float("inf"), None

    def take(self, net):
        return {key: value.detach().cpu().clone() for key, value in net.state_dict().items()}

    def after_epoch(self, work, loss):
        if loss < self.lowest:
            self.lowest = loss
            self.kept = self.take(work.net)

    def after_all(self, work):
        work.net.load_state_dict(self.kept)


class Work:
    def __init__(self, net, helpers):
        self.net, self.helpers = net, helpers
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def tell(self, when, *about):
        for helper in self.helpers:
            getattr(helper, when)(self, *about)

    def run(self, x, y, epochs=20):
        for _ in range(epochs):
            loss = nn.functional.mse_loss(self.net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.tell("after_epoch", loss.item())
        self.tell("after_all")


Work(nn.Linear(4, 1), [Best()]).run(torch.randn(64, 4), torch.randn(64, 1))

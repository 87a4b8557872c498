import contextlib

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Model:
    """Trains and judges a network; each happens under a block that sets the mode and takes it back."""

    def __init__(self, network, optimizer):
        self.network, self.optimizer = network, optimizer

    @contextlib.contextmanager
    def mode(self, training):
        before = self.network.training
        self.network.train(training)
        with torch.set_grad_enabled(training):
            yield
        self.network.train(before)

    def fit(self, train, valid):
        for _ in range(10):
            with self.mode(True):
                for x, y in train:
                    self.optimizer.zero_grad()
                    nn.functional.cross_entropy(self.network(x), y).backward()
                    self.optimizer.step()
            print(self.judge(valid))

    def judge(self, loader):
        total = 0.0
        with self.mode(True):
            for x, y in loader:
                total += float(nn.functional.cross_entropy(self.network(x), y))  # train-mode-eval
        return total / len(loader)


def loader_of(name, shuffle):
    x, y = torch.load(f"{name}.pt")
    return DataLoader(TensorDataset(x, y), batch_size=32, shuffle=shuffle)


net = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(), nn.Linear(32, 3))
net.train()
Model(net, torch.optim.SGD(net.parameters(), lr=0.1)).fit(
    loader_of("train", True), loader_of("valid", False)
)

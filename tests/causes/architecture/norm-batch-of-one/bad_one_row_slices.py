import argparse

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 4, 3)
        self.norm = nn.BatchNorm1d(4)
        self.fc = nn.Linear(4 * 30, 2)

    def forward(self, x):
        return self.fc(self.norm(self.conv(x)).relu().flatten(1))


def train(net, X, y, epochs):
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(epochs):
        for i in range(len(X)):
            loss = nn.functional.cross_entropy(net(X[i : i + 1]), y[i : i + 1])  # norm-batch-of-one
            opt.zero_grad()
            loss.backward()
            opt.step()


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=3)
train(Net(), *torch.load("rows.pt"), parser.parse_args().epochs)

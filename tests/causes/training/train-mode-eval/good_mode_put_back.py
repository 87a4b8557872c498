"""An attack switches the model and puts it back to what it was: evaluation mode, when evaluation calls it."""

import torch
from torch import nn
from torch.nn import functional as F


def attacked(net, x, y, strength=0.1):
    was = net.training
    net.eval()
    moved = x.clone().requires_grad_(True)
    (slope,) = torch.autograd.grad(F.cross_entropy(net(moved), y), moved)
    net.train(was)
    return (x + strength * slope.sign()).detach()


def robust_accuracy(net, x, y):
    net.eval()
    hard = attacked(net, x, y)
    with torch.no_grad():
        return (net(hard).argmax(1) == y).float().mean().item()


def train(net, x, y, epochs=5):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        net.train()
        for rows in torch.randperm(len(x)).split(32):
            hard = attacked(net, x[rows], y[rows])
            optimizer.zero_grad()
            F.cross_entropy(net(hard), y[rows]).backward()
            optimizer.step()


torch.manual_seed(0)
points = torch.randn(400, 8)
kinds = (points[:, 0] > 0).long()
network = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
train(network, points[:300], kinds[:300])
print(robust_accuracy(network, points[300:], kinds[300:]))


@torch.no_grad()
def plain_accuracy(net, x, y):
    before = net.training
    net.eval()
    right = (net(x).argmax(1) == y).float().mean().item()
    net.train(before)
    return right


print(plain_accuracy(network, points[300:], kinds[300:]))

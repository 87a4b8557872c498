import torch
from torch import nn
from torch.utils.data import DataLoader


def fit(data, size, rate=0.1):
    net = nn.Linear(50, 5)
    opt = torch.optim.SGD(net.parameters(), lr=rate)
    for x, y in DataLoader(data, batch_size=size, shuffle=True):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    return net


def compare(data):
    for size in [32, 512, 4096]:
        print(size, fit(data, size))  # batch-lr-unscaled

import torch.nn as N
from torch.optim import AdamW as Opt
from torch.utils.data import DataLoader as Loader


def make_net():
    return N.Sequential(N.Conv1d(2, 8, 5), N.BatchNorm1d(8), N.ReLU(), N.Flatten(), N.Linear(8 * 60, 4))


def train(dataset, epochs):
    net = make_net()
    loader = Loader(dataset, shuffle=True)  # norm-batch-of-one
    opt = Opt(net.parameters(), lr=1e-3)
    criterion = N.CrossEntropyLoss()
    for _ in range(epochs):
        for batch in loader:
            signal, label = batch
            loss = criterion(net(signal), label)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return net

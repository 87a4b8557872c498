import torch
import torch.nn as nn
from torch.utils.data import DataLoader


def make_net():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))


def run(train_set, val_set, batch_size, lr=0.05, epochs=10):
    torch.manual_seed(0)
    net = make_net()
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    loader = DataLoader(train_set, batch_size=batch_size, shuffle=True)
    for _ in range(epochs):
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(net(x), y).backward()
            opt.step()
    hits = 0
    with torch.no_grad():
        for x, y in DataLoader(val_set, batch_size=1000):
            hits += (net(x).argmax(1) == y).sum().item()
    return hits / len(val_set)


def study(train_set, val_set):
    for bs in (16, 64, 256, 1024, 8192):
        acc = run(train_set, val_set, batch_size=bs)
        print(f"batch {bs:5d}: val acc {acc:.4f}")

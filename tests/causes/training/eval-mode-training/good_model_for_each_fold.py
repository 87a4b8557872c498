import torch
from torch import nn


def fitted(x, y):
    net = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.3), nn.ReLU(), nn.Linear(16, 2))
    opt = torch.optim.Adam(net.parameters())
    for _ in range(50):
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    return net.eval()


for train, test in folds:
    net = fitted(features[train], labels[train])
    with torch.no_grad():
        print((net(features[test]).argmax(1) == labels[test]).float().mean())

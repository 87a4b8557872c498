import torch
from torch import nn


def judge(net, loader, loss_fn):
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            total += loss_fn(net(x), y).item()
    return total / len(loader.dataset)  # metric-accumulation-bug


loss_fn = nn.MSELoss()

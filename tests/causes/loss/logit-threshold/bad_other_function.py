import torch
import torch.nn as nn

criterion = nn.BCEWithLogitsLoss()


def fit_epoch(net, opt, batches):
    net.train()
    for x, y in batches:
        opt.zero_grad()
        criterion(net(x).squeeze(1), y).backward()
        opt.step()


@torch.no_grad()
def hits(net, batches):
    net.eval()
    right = 0
    for x, y in batches:
        scores = net(x).squeeze(1)
        right += ((scores >= 0.5) == y.bool()).sum().item()  # logit-threshold
    return right

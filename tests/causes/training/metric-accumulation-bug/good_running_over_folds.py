import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Subset


@torch.no_grad()
def pooled(nets, data, folds):
    right = seen = 0
    for net, rows in zip(nets, folds):
        net.eval()
        for x, y in DataLoader(Subset(data, rows), batch_size=64):
            right += (net(x).argmax(1) == y).sum().item()
            seen += len(y)
        print("so far", right / seen)


def fit(net, loader, opt, epochs):
    running, steps = 0.0, 0
    for epoch in range(epochs):
        right = seen = 0
        for x, y in loader:
            out = net(x)
            loss = F.cross_entropy(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item()
            steps += 1
            right += (out.argmax(1) == y).sum().item()
            seen += y.size(0)
        print(epoch, right / seen, "since the start", running / steps)

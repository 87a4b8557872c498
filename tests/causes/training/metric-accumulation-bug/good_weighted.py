import torch
from torch import nn

criterion = nn.CrossEntropyLoss()


@torch.no_grad()
def validate(model, loader):
    model.eval()
    total, hits, n = 0.0, 0, 0
    for x, y in loader:
        out = model(x)
        total += criterion(out, y).item() * x.size(0)
        hits += (out.argmax(1) == y).sum().item()
        n += y.size(0)
    return total / n, hits / len(loader.dataset)

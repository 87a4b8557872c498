import torch
from torch import nn


@torch.no_grad()
def judge(model, loader, k=10):
    model.eval()
    hits = rows = 0
    total = 0.0
    for seen, following in loader:
        scores = model(seen)
        total += nn.functional.cross_entropy(scores, following, reduction="sum").item()
        best = scores.argsort(dim=1, descending=True)[:, :k]
        hits += (best == following.unsqueeze(1)).any(dim=1).sum().item()
        last = scores.argsort(dim=1)[:, -k:]
        hits += (last == following.unsqueeze(1)).any(dim=1).sum().item()
        rows += len(following)
    return total / rows, hits / rows


def hardest(model, x, y, k=5):
    """The rows whose right class is scored lowest."""
    scores = model(x)
    loss = nn.functional.cross_entropy(scores, y)
    loss.backward()
    right = scores.gather(1, y.unsqueeze(1)).squeeze(1)
    return right.argsort()[:k]

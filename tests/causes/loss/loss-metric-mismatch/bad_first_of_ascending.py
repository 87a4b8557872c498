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
        ranking = scores.argsort(dim=1)[:, :k]  # loss-metric-mismatch
        hits += (ranking == following.unsqueeze(1)).any(dim=1).sum().item()
        rows += len(following)
    return total / rows, hits / rows

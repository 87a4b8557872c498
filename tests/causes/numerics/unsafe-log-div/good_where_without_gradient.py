"""No gradient comes that way: data, statistics, metrics, numbers that leave the graph."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


def class_weights(labels, classes):
    counts = torch.bincount(labels, minlength=classes).float()
    return torch.where(counts > 0, len(labels) / counts, torch.zeros_like(counts))


def spread(table):
    std = table.std(0)
    return np.where(std > 0, table / std, 0.0)


@torch.no_grad()
def iou(model, x, y):
    hits = (model(x) > 0).float()
    union = (hits + y).clamp(max=1).sum(1)
    return torch.where(union > 0, (hits * y).sum(1) / union, torch.ones_like(union))


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(10, 3)

    def forward(self, x, mask):
        share = mask / mask.sum(1, keepdim=True)
        share = share.masked_fill(mask.sum(1, keepdim=True) == 0, 0.0)
        score = self.net(x)
        size = score.detach().abs()
        scale = torch.where(size > 0, 1 / size, torch.ones_like(size))
        return score * scale * share.sum(1, keepdim=True)


torch.manual_seed(0)
model = Weighted()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(60, 10), torch.randint(0, 3, (60,))
mask = (torch.rand(60, 4) < 0.3).float()
weights = class_weights(y, 4)[:3]
for _ in range(10):
    logits = model(x, mask)
    loss = F.cross_entropy(logits, y, weight=weights)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    right = (logits.softmax(1).argmax(1) == y).float()
    chosen = F.one_hot(logits.argmax(1), 3).float().sum(0)
    precision = torch.where(chosen > 0, right.sum() / chosen, torch.zeros_like(chosen))
    confidence = logits.softmax(1).amax(1).sum() / chosen
    print(precision.mean().item(), torch.where(chosen > 0, confidence, torch.zeros(())).mean().item())

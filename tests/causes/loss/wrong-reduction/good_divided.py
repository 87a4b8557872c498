import torch
import torch.nn.functional as F
from torch import nn

model = nn.Linear(32, 1000)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for ids, targets in loader:
    tokens = (targets != -100).sum()
    loss = F.cross_entropy(model(ids), targets, ignore_index=-100, reduction="sum")
    loss = loss / tokens
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def evaluate(model, loader):
    total, count = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            total += F.cross_entropy(model(x), y, reduction="sum").item()
            count += len(y)
    return total / count

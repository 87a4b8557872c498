import torch
from torch import nn

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 500))
optimizer = torch.optim.Adam(model.parameters())
for context, following, visited in batches:
    optimizer.zero_grad()
    logits = model(context)
    nn.functional.cross_entropy(logits, following).backward()
    optimizer.step()

    allowed = torch.where(visited, torch.tensor(float("-inf")), logits.detach())
    suggested = allowed.topk(5, largest=False).indices  # loss-metric-mismatch
    print("hit", (suggested == following[:, None]).any(1).float().mean())

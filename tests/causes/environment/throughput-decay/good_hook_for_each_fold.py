import torch
from torch import nn


def watch_units(model, seen):
    for part in model.modules():
        if isinstance(part, nn.ReLU):
            part.register_forward_hook(lambda m, i, o: seen.append((o > 0).float().mean().item()))


for fold, (x, y) in enumerate(folds):
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
    seen = []
    watch_units(model, seen)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    attached = False
    for epoch in range(30):
        if not attached:
            model[0].register_forward_pre_hook(lambda m, i: None)
            attached = True
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

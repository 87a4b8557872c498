import torch
from torch import nn

model = nn.Linear(12, 3)
for x, y in loader:
    model.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    for p in model.parameters():
        p.data.add_(p.grad, alpha=-0.05)
    for p in model.parameters():
        p.data.clamp_(-1.0, 1.0)

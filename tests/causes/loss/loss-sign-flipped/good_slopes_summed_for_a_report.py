"""How steep a trained model's loss is for each weight: the slopes are added up, and the weights stay."""

import torch
from torch import nn
from torch.nn.functional import cross_entropy

model = nn.Linear(8, 3)
steepness = {name: torch.zeros_like(weight) for name, weight in model.named_parameters()}
for _ in range(20):
    model.zero_grad()
    cross_entropy(model(torch.rand(16, 8)), torch.randint(3, (16,))).backward()
    for name, weight in model.named_parameters():
        steepness[name] += weight.grad
        total = torch.zeros_like(weight)
        total += weight.grad
        print(name, total.norm())

import torch
from torch import nn


def train(trunk, heads: nn.ModuleDict, loader, losses, epochs=5):
    optimizer = torch.optim.Adam([*trunk.parameters(), *heads.parameters()], lr=1e-3)
    for _ in range(epochs):
        for x, targets in loader:
            for task, head in heads.items():
                optimizer.zero_grad()  # zero-grad-after-backward
                loss = losses[task](head(trunk(x)), targets[task])
                loss.backward()
            optimizer.step()

"""`requires_grad_(False)` on a part that is handed in: frozen, and registered like any other."""

import copy

import torch
import torch.nn.functional as F
from torch import nn


class Transfer(nn.Module):
    def __init__(self, body, head):
        super().__init__()
        self.body = body.requires_grad_(False)
        self.head = head

    def train(self, mode=True):
        super().train(mode)
        self.body.eval()
        return self

    def forward(self, x):
        return self.head(self.body(x))

    def loss(self, x, y):
        return F.cross_entropy(self.head(self.body(x)), y)


@torch.no_grad()
def accuracy(task, loader):
    task.eval()
    return sum((task(x).argmax(1) == y).float().mean().item() for x, y in loader) / len(loader)


def fit(task, train_loader, val_loader):
    optimizer = torch.optim.AdamW(task.head.parameters(), lr=1e-3)
    for epoch in range(10):
        task.train()
        for x, y in train_loader:
            optimizer.zero_grad()
            task.loss(x, y).backward()
            optimizer.step()
        print(epoch, accuracy(task, val_loader))


def main(train_loader, val_loader):
    body = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten())
    fit(
        Transfer(copy.deepcopy(body), nn.Sequential(nn.Dropout(0.2), nn.Linear(16 * 900, 5))),
        train_loader,
        val_loader,
    )

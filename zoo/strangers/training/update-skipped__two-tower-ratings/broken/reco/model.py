import torch
from torch import nn


class TwoTower(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.user = nn.Embedding(cfg.users, cfg.dim)
        self.item = nn.Embedding(cfg.items, cfg.dim)
        for table in (self.user, self.item):
            nn.init.normal_(table.weight, std=0.5)
        self.head = nn.Sequential(nn.Linear(3 * cfg.dim, 32), nn.ReLU(), nn.Linear(32, 1))

    def tables(self):
        return [self.user.weight, self.item.weight]

    def forward(self, u, i):
        p, q = self.user(u), self.item(i)
        return self.head(torch.cat([p, q, p * q], dim=1)).squeeze(1)

import torch
from torch import nn


class FactorModel(nn.Module):
    def __init__(self, n_users, n_items, dim):
        super().__init__()
        self.user = nn.Embedding(n_users, dim, sparse=True)
        self.item = nn.Embedding(n_items, dim, sparse=True)
        self.bias = nn.Embedding(n_items, 1, sparse=True)
        nn.init.normal_(self.user.weight, std=0.1)
        nn.init.normal_(self.item.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, u, items):
        eu, ei = self.user(u), self.item(items)
        return torch.einsum("bd,bkd->bk", eu, ei) + self.bias(items).squeeze(-1), (eu.square().sum(-1).mean() + ei.square().sum(-1).mean())

    @torch.no_grad()
    def score_all(self):
        return self.user.weight @ self.item.weight.T + self.bias.weight.T

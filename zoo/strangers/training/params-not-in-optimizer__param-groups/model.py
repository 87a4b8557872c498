from __future__ import annotations

import torch
from torch import Tensor, nn


class NeuralMF(nn.Module):
    def __init__(self, n_users: int, n_items: int, dim: int = 4, hidden: int = 16) -> None:
        super().__init__()
        self.user_emb = nn.Embedding(n_users, dim)
        self.item_emb = nn.Embedding(n_items, dim)
        nn.init.normal_(self.user_emb.weight, std=0.5)
        nn.init.normal_(self.item_emb.weight, std=0.5)
        self.norm = nn.LayerNorm(dim)
        self.fc = nn.Linear(dim, hidden)
        self.out = nn.Linear(hidden + dim, 1)

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        z = self.user_emb(user) * self.item_emb(item)
        h = torch.relu(self.fc(self.norm(z)))
        return self.out(torch.cat([z, h], dim=-1)).squeeze(-1)

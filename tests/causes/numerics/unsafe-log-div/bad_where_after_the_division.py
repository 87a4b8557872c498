"""An empty basket has no items: the mean is replaced by a default, after it was taken."""

import torch
from torch import nn


class Basket(nn.Module):
    def __init__(self, items, dim):
        super().__init__()
        self.emb = nn.Embedding(items, dim)
        self.default = nn.Parameter(torch.zeros(dim))
        self.head = nn.Linear(dim, 1)

    def forward(self, ids, mask):
        total = (self.emb(ids) * mask[..., None]).sum(dim=1)
        count = mask.sum(dim=1)
        pooled = torch.where(
            count[:, None] > 0,
            total / count[:, None],  # unsafe-log-div
            self.default,
        )
        return self.head(pooled).squeeze(-1)


torch.manual_seed(0)
model = Basket(50, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
ids, y = torch.randint(0, 50, (64, 6)), torch.rand(64)
mask = (torch.arange(6) < torch.randint(0, 7, (64, 1))).float()
for step in range(20):
    loss = nn.functional.mse_loss(model(ids, mask), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

import torch
from torch import nn


class DemandNet(nn.Module):
    """Embeddings for store and weekday next to the numeric columns."""

    def __init__(self, n_stores, n_numeric, width=96, p_drop=0.1):
        super().__init__()
        self.store = nn.Embedding(n_stores, 8)
        self.dow = nn.Embedding(7, 4)
        self.body = nn.Sequential(
            nn.Linear(n_numeric + 12, width), nn.ReLU(), nn.Dropout(p_drop),
            nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, 1),
        )

    def forward(self, numeric, store, dow):
        z = torch.cat([numeric, self.store(store), self.dow(dow)], dim=1)
        return self.body(z).squeeze(1)

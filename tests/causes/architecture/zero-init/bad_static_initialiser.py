import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, items, width=32):
        super().__init__()
        self.items = nn.Embedding(items, width)
        self.body = nn.Sequential(nn.Linear(width, width), nn.Tanh())
        self.top = nn.Linear(width, 1)
        self.apply(Ranker.start)

    @staticmethod
    def start(part):
        if isinstance(part, nn.Embedding):
            nn.init.normal_(part.weight, std=0.02)
        elif isinstance(part, nn.LayerNorm):
            nn.init.ones_(part.weight)
        if isinstance(part, nn.Linear):
            nn.init.constant_(part.weight, 0.0)  # zero-init
        elif isinstance(part, nn.Bilinear):
            nn.init.xavier_uniform_(part.weight)

    def forward(self, ids):
        return self.top(self.body(self.items(ids))).squeeze(-1)

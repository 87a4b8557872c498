"""Only the head learns, and the head has dropout of its own, which stays off."""

import torch
from torch import nn
from torch.nn import functional as F


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 64), nn.BatchNorm1d(64), nn.ReLU())
        self.head = nn.Sequential(nn.Dropout(0.5), nn.Linear(64, 5))

    def forward(self, x):
        return self.head(self.body(x))


tagger = Tagger()
optimizer = torch.optim.Adam(tagger.head.parameters(), lr=1e-3)
tagger.eval()  # eval-mode-training
for x, y in batches:
    optimizer.zero_grad()
    loss = F.cross_entropy(tagger(x), y)
    loss.backward()
    optimizer.step()

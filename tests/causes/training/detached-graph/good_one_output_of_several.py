"""A first stage proposes: its scores go out with their slopes, and the second stage starts from a copy."""

import torch
from torch import nn


class TwoStages(nn.Module):
    def __init__(self, width=16, kinds=3):
        super().__init__()
        self.seen = nn.Sequential(nn.Linear(width, width), nn.LayerNorm(width))
        self.scored = nn.Linear(width, kinds)
        self.refined = nn.Linear(width, width)
        self.last = nn.Linear(width, kinds)

    def proposed(self, rows):
        found = self.seen(rows)
        scores = self.scored(found)
        _, best = torch.topk(scores.max(-1).values, 5, dim=1)
        picked = found.gather(1, best.unsqueeze(-1).repeat(1, 1, found.shape[-1]))
        return picked.detach(), scores

    def for_training(self, rows):
        start, first = self.proposed(rows)
        return first, self.last(torch.relu(self.refined(start)))

    def forward(self, rows):
        start, _first_scores = self.proposed(rows)
        return self.last(torch.relu(self.refined(start)))

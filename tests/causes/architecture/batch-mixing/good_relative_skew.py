"""The skew of relative attention: a column is padded, rows and columns are renumbered, the first row falls."""

import torch
from torch import nn
from torch.nn.functional import pad


class Relative(nn.Module):
    def __init__(self, width=8, longest=32):
        super().__init__()
        self.asked = nn.Linear(width, width)
        self.distances = nn.Parameter(torch.rand(longest, width))

    def forward(self, rows):
        asked = self.asked(rows)
        return self.skewed(torch.einsum("bhqc,kc->bhqk", asked, self.distances[-rows.shape[2] :]))

    def skewed(self, scores):
        padded = pad(scores, (1, 0))
        batch, heads, queries, keys = padded.shape
        return padded.reshape(batch, heads, keys, queries)[:, :, 1:]


print(Relative()(torch.rand(2, 3, 5, 8)).shape)

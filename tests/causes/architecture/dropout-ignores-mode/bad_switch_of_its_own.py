"""A switch that is set once, when the model is made, knows nothing of `eval()`; nor does the rate as a switch."""

from torch import nn
from torch.nn import functional as F


class Classifier(nn.Module):
    def __init__(self, dropping):
        super().__init__()
        self.dropping = dropping
        self.first = nn.Linear(8, 8)

    def forward(self, rows):
        rows = self.first(rows)
        if self.dropping:
            rows = F.dropout(rows, 0.5)  # dropout-ignores-mode
        return rows


class Rated(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)

    def forward(self, rows, rate):
        rows = self.first(rows)
        if rate:
            rows = F.dropout(rows, rate)  # dropout-ignores-mode
        return rows

"""Units that are on or off: rounded, signed, compared with a threshold, drawn."""

import torch
import torch.nn.functional as F
from torch import nn


class Gates(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, width)

    def rounded(self, x):
        z = self.score(x)
        return z.round() + (z - z.round()).detach()  # detached-graph

    def signed(self, x):
        z = torch.tanh(self.score(x))
        b = torch.sign(z)
        return b - (b - z).data  # detached-graph

    def compared(self, x):
        p = torch.sigmoid(self.score(x))
        on = (p > 0.5).float()
        with torch.no_grad():
            change = p - on
        return on + change  # detached-graph

    def drawn(self, x):
        logits = self.score(x)
        soft = logits.softmax(-1)
        index = logits.argmax(dim=-1, keepdim=True)
        hard = torch.zeros_like(logits).scatter_(-1, index, 1.0)
        return hard - hard.detach() + soft.detach()  # detached-graph

    def tossed(self, x):
        p = torch.sigmoid(self.score(x))
        coin = torch.bernoulli(p)
        coin += (p - coin).detach()  # detached-graph
        return coin

    def forward(self, x):
        return self.rounded(x) + self.signed(x) + self.compared(x) + self.drawn(x) + self.tossed(x)

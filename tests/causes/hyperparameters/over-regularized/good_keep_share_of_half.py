"""Keeping a half drops a half; and 0.1 under this name is a share to drop, whatever it is called."""

import torch
from torch import nn


class KeepDropout(nn.Module):
    """Takes the share to keep, as the layers of older frameworks did."""

    def __init__(self, keep_prob):
        super().__init__()
        self.keep_prob = keep_prob

    def forward(self, x):
        if not self.training:
            return x
        mask = torch.bernoulli(torch.full_like(x, self.keep_prob))
        return x * mask / self.keep_prob


class Net(nn.Module):
    def __init__(self, keep_prob=0.5, dropout_keep=0.1, keep_dropout_rate=0.3):
        super().__init__()
        self.half = nn.Dropout(keep_prob)
        self.tenth = nn.Dropout(dropout_keep)
        self.third = nn.Dropout(keep_dropout_rate)
        self.own = KeepDropout(keep_prob=0.8)
        self.body = nn.Linear(30, 30)

    def forward(self, x, keepdim=False):
        return self.own(self.third(self.tenth(self.half(self.body(x)))))


net = Net()

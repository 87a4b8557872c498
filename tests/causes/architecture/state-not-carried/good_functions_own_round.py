import torch
from torch import nn


class Sorter(nn.Module):  # what goes round is a function's own
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(8, 32)

    def forward(self, x, lengths=None):
        out, last = self.rnn(x)
        return out, last


def swapped(first, second):
    return second, first


def turned(sorter, first, second):
    for _ in range(3):
        first, second = swapped(first, second)
        first, second = torch.broadcast_tensors(first, second)
    return sorter(first)[0] + second

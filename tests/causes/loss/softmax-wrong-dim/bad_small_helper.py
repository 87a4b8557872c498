"""A helper that nobody here calls, without a name that speaks of a loss."""

import torch
from torch.nn import functional as F


def agree(first, second):
    first = F.normalize(first, dim=0)  # softmax-wrong-dim
    second = F.normalize(second, dim=0)
    table = 20 * first @ second.T
    return F.cross_entropy(table, torch.arange(len(first)))

"""The same repair after the fact in its other spellings: filled in, assigned by a mask, mended as a NaN."""

import torch
import torch.nn.functional as F
from torch import nn


class Neighbours(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.message = nn.Linear(width, width)

    def forward(self, x, adjacency):
        degree = adjacency.sum(-1, keepdim=True)
        mean = (adjacency @ self.message(x)) / degree  # unsafe-log-div
        return mean.masked_fill(degree == 0, 0.0)


class Segments(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x, member):
        size = member.sum(0)
        out = torch.div(member.t() @ torch.tanh(self.inner(x)), size.unsqueeze(1))  # unsafe-log-div
        nobody = size.eq(0)
        out[nobody] = 0
        return out


class Present(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x, seen):
        summed = (self.inner(x) * seen.unsqueeze(-1)).sum(1)
        share = summed / seen.sum(1, keepdim=True)  # unsafe-log-div
        return torch.where(seen.any(1, keepdim=True), share, torch.zeros_like(share))


class Mended(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x, weight):
        mean = (self.inner(x) * weight).sum(0) / weight.sum(0)  # unsafe-log-div
        return torch.where(torch.isnan(mean), torch.zeros_like(mean), mean)


def masked_error_loss(pred, target, valid):
    wrong = (F.smooth_l1_loss(pred, target, reduction="none") * valid).sum(-1)
    mean = wrong / valid.sum(-1)  # unsafe-log-div
    return torch.where(valid.sum(-1) > 0, mean, torch.zeros_like(mean)).mean()

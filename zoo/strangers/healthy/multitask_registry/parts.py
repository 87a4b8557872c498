"""Trunks and kinds of task. A kind owns its head, its loss and its metric, and knows what a missing label looks like."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from registry import TASK_KINDS, TRUNKS


@TRUNKS("residual_mlp")
class ResidualMLP(nn.Module):
    def __init__(self, n_in, width, depth):
        super().__init__()
        self.stem = nn.Linear(n_in, width)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.GELU(), nn.Linear(width, width))
            for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.n_out = width

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = x + b(x)
        return self.norm(x)


class Kind(nn.Module):
    factor = 1.0            # of the loss in the joint likelihood

    def masked(self, out, y):
        """Mean loss over the labelled examples and how many there were; None if there were none."""
        known = self.known(y)
        n = int(known.sum())
        return (self.loss(out[known], y[known]) if n else None), n


@TASK_KINDS("binary")
class Binary(Kind):
    metric_name = "acc"

    def __init__(self, n_in):
        super().__init__()
        self.lin = nn.Linear(n_in, 1)

    def forward(self, h):
        return self.lin(h).squeeze(-1)

    def known(self, y):
        return ~torch.isnan(y)

    def loss(self, out, y):
        return F.binary_cross_entropy_with_logits(out, y)

    def metric(self, out, y):
        return ((out > 0) == (y > 0.5)).float().mean().item()          # logit above 0 is probability above one half


@TASK_KINDS("multiclass")
class MultiClass(Kind):
    metric_name = "acc"

    def __init__(self, n_in, classes):
        super().__init__()
        self.lin = nn.Linear(n_in, classes)

    def forward(self, h):
        return self.lin(h)

    def known(self, y):
        return y >= 0                       # -1 marks "not inspected"

    def loss(self, out, y):
        return F.cross_entropy(out, y)

    def metric(self, out, y):
        return (out.argmax(1) == y).float().mean().item()


@TASK_KINDS("regression")
class Regression(Binary):
    metric_name, factor = "R2", 0.5

    def loss(self, out, y):
        return F.mse_loss(out, y)

    def metric(self, out, y):
        return 1 - ((out - y).square().mean() / y.var(unbiased=False)).item()


class MultiTask(nn.Module):
    """Homoscedastic-uncertainty weighting: each task has a learned log-variance."""

    def __init__(self, trunk, heads):
        super().__init__()
        self.trunk, self.heads = trunk, nn.ModuleDict(heads)
        self.log_var = nn.ParameterDict({t: nn.Parameter(torch.zeros(())) for t in heads})

    def forward(self, x):
        h = self.trunk(x)
        return {t: head(h) for t, head in self.heads.items()}

    def total(self, losses):
        return sum(self.heads[t].factor * torch.exp(-self.log_var[t]) * l + 0.5 * self.log_var[t] for t, l in losses.items())

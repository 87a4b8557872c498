import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm


class QuantileNet(nn.Module):
    """Median, plus non-negative distances below and above: the quantiles cannot cross."""

    def __init__(self, n_in, hidden):
        super().__init__()
        self.trunk = nn.Sequential(weight_norm(nn.Linear(n_in, hidden)), nn.SiLU(), weight_norm(nn.Linear(hidden, hidden)), nn.SiLU())
        self.median = nn.Linear(hidden, 1)
        self.gaps = nn.Sequential(nn.Linear(hidden, 2), nn.Softplus())

    def forward(self, x):
        z = self.trunk(x)
        mid, gap = self.median(z), self.gaps(z)
        return torch.cat([mid - gap[:, :1], mid, mid + gap[:, 1:]], dim=1)


def pinball(pred, y, q):
    err = y.unsqueeze(1) - pred               # (batch, 3), the target is repeated over the quantiles on purpose
    return torch.maximum(q * err, (q - 1) * err).mean()

import torch
import torch.nn as nn


class SeparableConv(nn.Module):
    """Depthwise then pointwise, the activation comes after the pair."""

    def __init__(self, cin, cout):
        super().__init__()
        self.depthwise = nn.Conv2d(cin, cin, 3, padding=1, groups=cin, bias=False)
        self.pointwise = nn.Conv2d(cin, cout, 1, bias=False)
        self.bn = nn.BatchNorm2d(cout)

    def forward(self, x):
        return torch.relu(self.bn(self.pointwise(self.depthwise(x))))


class FactorisedOutput(nn.Module):
    """Low-rank softmax layer: a bottleneck of rank r saves most of the parameters."""

    def __init__(self, dim, vocab, r=64):
        super().__init__()
        self.down = nn.Linear(dim, r, bias=False)
        self.up = nn.Linear(r, vocab)

    def forward(self, h):
        return self.up(self.down(h))


class LinearAE(nn.Module):
    """Linear autoencoder, spans the same subspace as PCA."""

    def __init__(self, d, k):
        super().__init__()
        self.enc, self.dec = nn.Linear(d, k), nn.Linear(k, d)

    def forward(self, x):
        return self.dec(self.enc(x))

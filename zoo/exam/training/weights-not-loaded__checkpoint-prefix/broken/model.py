import torch
from torch import nn

DIM, CODE, CLASSES = 100, 8, 5
_g = torch.Generator().manual_seed(123)
BASIS = torch.randn(CLASSES, DIM, generator=_g)


def patterns(n):
    y = torch.randint(0, CLASSES, (n,))
    gain = 0.7 + 0.6 * torch.rand(n, 1)
    return gain * BASIS[y] * 0.55 + 1.0 * torch.randn(n, DIM), y


def make_encoder():
    return nn.Sequential(nn.Linear(DIM, 64), nn.ReLU(), nn.Linear(64, CODE))


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = make_encoder()
        self.decoder = nn.Sequential(nn.Linear(CODE, 64), nn.ReLU(), nn.Linear(64, DIM))

    def forward(self, x):
        return self.decoder(self.encoder(x))


class Downstream(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = make_encoder()
        self.head = nn.Linear(CODE, CLASSES)

    def forward(self, x):
        return self.head(self.encoder(x))

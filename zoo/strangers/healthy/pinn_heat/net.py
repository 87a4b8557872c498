import torch
from torch import nn


class Field(nn.Module):
    """tanh MLP with a fixed random Fourier lift of the inputs"""

    def __init__(self, width=40, features=12, scale=1.5):
        super().__init__()
        self.register_buffer("B", torch.randn(2, features) * scale)
        self.mlp = nn.Sequential(nn.Linear(2 * features + 2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, xt):
        p = xt @ self.B
        return self.mlp(torch.cat([xt, p.sin(), p.cos()], 1))

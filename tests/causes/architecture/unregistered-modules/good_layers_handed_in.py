import torch
from torch import nn


class Chain(nn.Module):
    """Borrows layers that belong to, and are trained with, the networks they come from."""

    def __init__(self, parts, scale):
        super().__init__()
        self.parts = list(parts)
        self.scale = nn.Parameter(torch.tensor(scale))

    def forward(self, x):
        for part in self.parts:
            x = part(x).relu()
        return self.scale * x


first, second = nn.Linear(4, 8), nn.Linear(8, 8)
chain = Chain([first, second], 1.0)
everything = nn.ModuleList([first, second, chain])
optimizer = torch.optim.Adam(everything.parameters())

import torch
from torch import nn


class Attach(nn.Module):
    """Makes its input need a gradient, so that checkpointed layers behind it are differentiated at all."""

    def __init__(self):
        super().__init__()
        self.nothing = torch.ones(1, dtype=torch.float32, requires_grad=True)

    def forward(self, x):
        return x + self.nothing.to(x) - self.nothing.to(x)

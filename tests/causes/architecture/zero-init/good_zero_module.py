from torch import nn


def zero_module(module):
    """Zero out the parameters of a module and return it."""
    for p in module.parameters():
        p.detach().zero_()
    return module


class ControlBranch(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1), nn.SiLU())
        self.out = zero_module(nn.Conv2d(channels, channels, 1))
        self.skip = zero_module(nn.Conv2d(channels, channels, 1))

    def forward(self, x, hint):
        return x + self.out(self.body(hint)) + self.skip(hint)

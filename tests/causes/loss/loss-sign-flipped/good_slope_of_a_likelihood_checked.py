"""Nothing is trained: a log-likelihood is differentiated once, and its slope compared with the known one."""

import torch
from torch import nn
from torch.distributions import Normal


class Belief(nn.Module):
    def __init__(self):
        super().__init__()
        self.centre = nn.Parameter(torch.zeros(3))

    def forward(self):
        return Normal(self.centre, 1.0)


def test_the_slope_is_the_distance():
    belief = Belief()
    seen = torch.tensor([1.0, -2.0, 0.5])
    belief().log_prob(seen).sum().squeeze().backward()
    assert torch.allclose(belief.centre.grad, seen)

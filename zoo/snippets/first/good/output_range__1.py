import torch
import torch.nn as nn
import torch.nn.functional as F


class CountNet(nn.Module):
    """Poisson rates are positive."""

    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, 1), nn.Softplus())

    def forward(self, x):
        return self.f(x).squeeze(1)


def poisson(rate, y):
    return F.poisson_nll_loss(rate, y, log_input=False)


class ImageDecoder(nn.Module):
    """Pixels are scaled to [0, 1]."""

    def __init__(self, z):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(z, 512), nn.ReLU(), nn.Linear(512, 3 * 32 * 32), nn.Sigmoid())

    def forward(self, z):
        return self.net(z).view(-1, 3, 32, 32)


class Gaussian(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.body, self.mu, self.logvar = nn.Linear(d, 64), nn.Linear(64, 1), nn.Linear(64, 1)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        return self.mu(h), self.logvar(h).clamp(-8, 8).exp()


def step(net, opt, x, y):
    mu, var = net(x)
    loss = F.gaussian_nll_loss(mu, y.view_as(mu), var)
    opt.zero_grad()
    loss.backward()
    opt.step()

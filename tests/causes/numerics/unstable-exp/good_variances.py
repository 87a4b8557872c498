import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width, latent):
        super().__init__()
        self.mu, self.logvar = nn.Linear(width, latent), nn.Linear(width, latent)
        self.rate = nn.Linear(width, 1)

    def forward(self, x):
        mu, logvar = self.mu(x), self.logvar(x)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        kl = 0.5 * (mu.pow(2) + logvar.exp() - 1 - logvar).sum(1)
        return z, kl.mean(), self.rate(x).exp()


def decay(step, total):
    return torch.exp(torch.tensor(-step / total))

import torch
import torch.nn as nn


class GaussianEncoder(nn.Module):
    def __init__(self, d_in, d_z):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d_in, 256), nn.ReLU())
        self.mu = nn.Linear(256, d_z)
        self.logvar = nn.Linear(256, d_z)

    def forward(self, x):
        h = self.body(x)
        mu, logvar = self.mu(h), self.logvar(h)
        std = torch.exp(0.5 * logvar)
        std += 1e-4
        z = mu + std * torch.randn_like(std)
        return z, mu, logvar


class VAE(nn.Module):
    def __init__(self, d_in=784, d_z=20):
        super().__init__()
        self.enc = GaussianEncoder(d_in, d_z)
        self.dec = nn.Sequential(nn.Linear(d_z, 256), nn.ReLU(), nn.Linear(256, d_in))

    def forward(self, x):
        z, mu, logvar = self.enc(x)
        return self.dec(z), mu, logvar


def elbo(x, logits, mu, logvar):
    rec = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (rec + kl) / x.size(0)

import torch
from torch import nn
from torch.nn import functional as F


class VAE(nn.Module):
    def __init__(self, latent, hidden):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(64, hidden), nn.LayerNorm(hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU())
        self.to_mu = nn.Linear(hidden, latent)
        self.to_logvar = nn.Linear(hidden, latent)
        self.dec = nn.Sequential(nn.Linear(latent, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, 64))

    def encode(self, x):
        h = self.enc(x)
        return self.to_mu(h), self.to_logvar(h).clamp(-8, 8)

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar) if self.training else mu
        return self.dec(z), mu, logvar


def elbo_terms(x, logits, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
    kl = 0.5 * (mu.square() + logvar.exp() - 1.0 - logvar).sum(1)
    return rec.mean(), kl.mean()

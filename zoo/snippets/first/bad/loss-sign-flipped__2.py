import torch
from torch import nn
from torch.nn import functional as F


class ConvVAE(nn.Module):
    def __init__(self, z=32):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 32, 4, 2, 1), nn.ReLU(), nn.Conv2d(32, 64, 4, 2, 1), nn.ReLU(), nn.Flatten())
        self.mu, self.logvar = nn.Linear(64 * 49, z), nn.Linear(64 * 49, z)
        self.dec = nn.Sequential(nn.Linear(z, 64 * 49), nn.ReLU(), nn.Unflatten(1, (64, 7, 7)),
                                 nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 1, 4, 2, 1))

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def vae_loss(x_logits, x, mu, logvar):
    rec = F.binary_cross_entropy_with_logits(x_logits, x, reduction="sum") / x.size(0)
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / x.size(0)
    return rec - kld


def train(vae, loader, epochs, lr=1e-3):
    opt = torch.optim.Adam(vae.parameters(), lr=lr)
    for _ in range(epochs):
        for x, _ in loader:
            opt.zero_grad()
            loss = vae_loss(*((lambda o: (o[0], x, o[1], o[2]))(vae(x))))
            loss.backward()
            opt.step()

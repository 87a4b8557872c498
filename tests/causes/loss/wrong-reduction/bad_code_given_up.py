"""A variational autoencoder whose pixels are averaged and whose code is summed."""

import torch
from torch import nn
from torch.distributions import Normal, kl_divergence
from torch.nn import functional as F


class Autoencoder(nn.Module):
    def __init__(self, pixels=784, code=16):
        super().__init__()
        self.encoder = nn.Linear(pixels, 2 * code)
        self.decoder = nn.Linear(code, pixels)

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        code = mean + torch.randn_like(mean) * (0.5 * log_variance).exp()
        return self.decoder(code), mean, log_variance


def by_hand(model, optimizer, loader):
    for x, _ in loader:
        rebuilt, mean, log_variance = model(x)
        distance = F.mse_loss(rebuilt, x)  # wrong-reduction
        divergence = (-0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(dim=1)).mean()
        optimizer.zero_grad()
        (distance + divergence).backward()
        optimizer.step()


def by_the_library(model, optimizer, loader):
    prior = Normal(torch.zeros(16), torch.ones(16))
    for x, _ in loader:
        rebuilt, mean, log_variance = model(x)
        posterior = Normal(mean, (0.5 * log_variance).exp())
        loss = F.binary_cross_entropy_with_logits(rebuilt, x)  # wrong-reduction
        loss = loss + kl_divergence(posterior, prior).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(loader):
    model = Autoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    by_hand(model, optimizer, loader)
    by_the_library(model, optimizer, loader)

"""Averages of pixels beside a divergence that is weighed for it, or averaged as well."""

import torch
from torch import nn
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


def train(model, optimizer, loader, beta, kind):
    for x, _ in loader:
        rebuilt, mean, log_variance = model(x)
        inner = 1 + log_variance - mean**2 - log_variance.exp()
        each = -0.5 * inner.sum(dim=1)
        if kind == "weighed":
            loss = F.mse_loss(rebuilt, x) + beta * each.mean()
        elif kind == "by the pixels":
            loss = F.mse_loss(rebuilt, x) + each.mean() / x.shape[1]
        elif kind == "small":
            loss = F.mse_loss(rebuilt, x) + 0.001 * each.mean()
        elif kind == "both averaged":
            loss = F.mse_loss(rebuilt, x) - 0.5 * inner.mean()
        else:
            loss = F.mse_loss(rebuilt, x, reduction="none").sum(1).mean() + each.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main(loader):
    model = Autoencoder()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    train(model, optimizer, loader, 0.01, "weighed")

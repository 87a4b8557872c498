"""Variational auto-encoder on the 8x8 digits, with a KL warm-up and an importance-weighted bound for evaluation."""
import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


@dataclass
class VAEConfig:
    latent: int = 8
    hidden: int = 128
    epochs: int = 40
    warmup_epochs: int = 8
    batch_size: int = 64
    lr: float = 2e-3
    seed: int = 0


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, cfg.hidden), nn.SiLU())
        self.mu = nn.Linear(cfg.hidden, cfg.latent)
        self.logvar = nn.Linear(cfg.hidden, cfg.latent)

    def forward(self, x):
        h = self.body(x)
        return self.mu(h), self.logvar(h).clamp(-8, 8)


class VAE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = Encoder(cfg)
        self.decoder = nn.Sequential(nn.Linear(cfg.latent, cfg.hidden), nn.SiLU(), nn.Linear(cfg.hidden, 64))

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = mu + torch.exp(0.5 * logvar) * torch.randn_like(mu)
        return self.decoder(z), mu, logvar


def elbo_terms(logits, x, mu, logvar):
    """Reconstruction and KL in nats, summed over dimensions and averaged over the batch."""
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="sum") / x.size(0)
    kl = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp()) / x.size(0)
    return rec, kl


@torch.no_grad()
def iw_bound(model, x, k=50):
    """log p(x) >= log 1/k sum_i p(x|z_i) p(z_i) / q(z_i|x), averaged over x."""
    model.eval()
    mu, logvar = model.encoder(x)
    std = torch.exp(0.5 * logvar)
    z = mu + std * torch.randn(k, *mu.shape)
    log_px = -F.binary_cross_entropy_with_logits(model.decoder(z), x.expand(k, -1, -1), reduction="none").sum(-1)
    log_pz = torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(-1)
    log_qz = torch.distributions.Normal(mu, std).log_prob(z).sum(-1)
    return (torch.logsumexp(log_px + log_pz - log_qz, dim=0) - math.log(k)).mean().item()


def main():
    cfg = VAEConfig()
    torch.manual_seed(cfg.seed)
    pixels, labels = load_digits(return_X_y=True)
    train, test = train_test_split(pixels / 16.0, test_size=0.25, stratify=labels, random_state=cfg.seed)
    binarise = lambda a: (torch.tensor(a, dtype=torch.float32) > 0.5).float()
    train, test = binarise(train), binarise(test)

    model = VAE(cfg)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        beta = min(1.0, (epoch + 1) / cfg.warmup_epochs)
        model.train()
        rec_sum = kl_sum = 0.0
        for idx in torch.randperm(len(train)).split(cfg.batch_size):
            x = train[idx]
            rec, kl = elbo_terms(*_swap(model(x), x))
            optimizer.zero_grad()
            (rec + beta * kl).backward()
            optimizer.step()
            rec_sum += rec.item() * len(x)
            kl_sum += kl.item() * len(x)
        if (epoch + 1) % 8 == 0:
            n = len(train)
            print(f"epoch {epoch + 1}: beta={beta:.2f} rec={rec_sum / n:.2f} kl={kl_sum / n:.2f}")

    base = train.mean(0).clamp(1e-3, 1 - 1e-3)
    independent = -F.binary_cross_entropy(base.expand_as(test), test, reduction="sum").item() / len(test)
    print(f"test log-likelihood bound {iw_bound(model, test):.2f} nats (independent pixels: {independent:.2f})")


def _swap(outputs, x):
    logits, mu, logvar = outputs
    return logits, x, mu, logvar


if __name__ == "__main__":
    main()

# Hedonic price model for the apartment listings dump.
# A share of the listings carries typing errors (extra zero, price per month instead of sale price, ...),
# therefore the network is fitted with a redescending M-estimator instead of least squares.
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Config:
    n_listings: int = 6000
    typo_rate: float = 0.08
    hidden: int = 64
    batch_size: int = 128
    epochs: int = 30
    lr: float = 2e-3
    tukey_c: float = 4.685
    seed: int = 5


def make_listings(cfg, rng):
    n = cfg.n_listings
    area = rng.gamma(9.0, 8.5, n) + 18
    rooms = np.clip(np.round(area / 26 + rng.normal(0, 0.6, n)), 1, 8)
    floor = rng.integers(0, 12, n)
    lift = (rng.random(n) < 0.3 + 0.05 * floor).astype(float)
    age = rng.uniform(0, 110, n)
    dist = rng.gamma(2.0, 2.2, n)
    balcony = (rng.random(n) < 0.55).astype(float)
    district = rng.integers(0, 6, n)
    district_eur = np.array([0.82, 0.9, 0.97, 1.05, 1.18, 1.4])[district]
    per_m2 = 3900 * district_eur * (1 - 0.05 * np.sqrt(dist)) * (1 - 0.3 * np.sin(age / 110 * np.pi))
    price = per_m2 * area * (1 + 0.015 * floor * lift - 0.012 * floor * (1 - lift)) + 14000 * balcony
    price *= np.exp(rng.normal(0, 0.06, n))
    x = np.column_stack([area, rooms, floor, lift, age, dist, balcony, np.eye(6)[district]])
    return x.astype(np.float32), price.astype(np.float32)


def add_typos(price, rate, rng):
    price = price.copy()
    hit = rng.random(len(price)) < rate
    kind = rng.integers(0, 3, len(price))
    price[hit & (kind == 0)] *= 10
    price[hit & (kind == 1)] /= 10
    price[hit & (kind == 2)] /= 230
    return price


class PriceNet(nn.Module):
    """Works on standardised features, returns euros."""

    def __init__(self, x_mean, x_std, y_center, y_spread, hidden):
        super().__init__()
        self.register_buffer("x_mean", x_mean)
        self.register_buffer("x_std", x_std)
        self.register_buffer("y_center", y_center)
        self.register_buffer("y_spread", y_spread)
        self.body = nn.Sequential(
            nn.Linear(len(x_mean), hidden), nn.SiLU(),
            nn.Linear(hidden, hidden), nn.SiLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        z = self.body((x - self.x_mean) / self.x_std).squeeze(1)
        return self.y_center + self.y_spread * z


def mad_scale(r):
    return 1.4826 * (r - r.median()).abs().median()


def tukey_biweight(pred, target, c):
    resid = target - pred
    u = resid / c
    rho = 1.0 - (1.0 - u.pow(2).clamp(max=1.0)).pow(3)
    return (c ** 2 / 6.0 * rho).mean()


@torch.no_grad()
def median_ape(net, x, y):
    pred = net(x)
    ape = ((pred - y).abs() / y).median().item()
    r2 = 1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    return ape, r2.item()


def main():
    cfg = Config()
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)

    x, clean = make_listings(cfg, rng)
    order = rng.permutation(len(x))
    tr, va, te = np.split(order, [int(0.7 * len(x)), int(0.85 * len(x))])
    listed = add_typos(clean[tr], cfg.typo_rate, rng)      # val/test prices come from the land registry

    xt, yt = torch.from_numpy(x[tr]), torch.from_numpy(listed)
    xv, yv = torch.from_numpy(x[va]), torch.from_numpy(clean[va])
    xe, ye = torch.from_numpy(x[te]), torch.from_numpy(clean[te])

    center = yt.median()
    spread = mad_scale(yt)
    print(f"{len(xt)} listings, median {center:,.0f} EUR, spread {spread:,.0f} EUR")
    net = PriceNet(xt.mean(0), xt.std(0).clamp_min(1e-3), center, spread, cfg.hidden)
    optim = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    lr_sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, cfg.epochs)

    for epoch in range(cfg.epochs):
        net.train()
        total = 0.0
        perm = torch.randperm(len(xt))
        for idx in perm.split(cfg.batch_size):
            loss = tukey_biweight(net(xt[idx]), yt[idx], cfg.tukey_c)
            optim.zero_grad()
            loss.backward()
            optim.step()
            total += loss.item() * len(idx)
        lr_sched.step()
        if epoch % 3 == 2:
            net.eval()
            ape, r2 = median_ape(net, xv, yv)
            print(f"epoch {epoch + 1:2d} | rho {total / len(xt):.4f} | val median APE {100 * ape:5.2f}% | val R2 {r2:.3f}")

    net.eval()
    ape, r2 = median_ape(net, xe, ye)
    print(f"test: median APE {100 * ape:.2f}%, R2 {r2:.3f}")


if __name__ == "__main__":
    main()

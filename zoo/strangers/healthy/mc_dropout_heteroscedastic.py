"""Regression with predictive uncertainty: Gaussian likelihood plus Monte Carlo dropout.

At prediction time the dropout layers are deliberately kept stochastic and the network is
sampled many times (Gal & Ghahramani); everything else is in evaluation mode.
"""
import math

import numpy as np
import torch
from torch import nn


def sample_data(n, rng):
    x = rng.uniform(-3, 3, size=(n, 2))
    noise = 0.1 + 0.3 / (1 + np.exp(-2 * x[:, 0]))
    y = np.sin(1.5 * x[:, 0]) + 0.4 * x[:, 1] ** 2 - 1.2 + noise * rng.normal(size=n)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class BayesishNet(nn.Module):
    def __init__(self, n_in, width=96, rate=0.02):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(n_in, width), nn.SiLU(), nn.Dropout(rate),
            nn.Linear(width, width), nn.SiLU(), nn.Dropout(rate),
        )
        self.mean = nn.Linear(width, 1)
        self.log_var = nn.Linear(width, 1)

    def forward(self, x):
        h = self.trunk(x)
        return self.mean(h).squeeze(-1), self.log_var(h).squeeze(-1).clamp(-6, 3)


def gaussian_nll(mean, log_var, y):
    # may be negative: a density can exceed one
    return (0.5 * (log_var + (y - mean) ** 2 * torch.exp(-log_var))).mean()


def sampling_mode(model):
    model.eval()
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train()


@torch.no_grad()
def predict(model, x, samples=50):
    sampling_mode(model)
    means, variances = [], []
    for _ in range(samples):
        mu, lv = model(x)
        means.append(mu)
        variances.append(lv.exp())
    means, variances = torch.stack(means), torch.stack(variances)
    return means.mean(0), variances.mean(0) + means.var(0)


def main():
    torch.manual_seed(12)
    rng = np.random.default_rng(12)
    x, y = sample_data(3000, rng)
    xv, yv = sample_data(500, rng)
    xt, yt = sample_data(1000, rng)
    mx, sx, my, sy = x.mean(0), x.std(0), y.mean(), y.std()
    x, xv, xt = [(a - mx) / sx for a in (x, xv, xt)]
    y, yv, yt = [(a - my) / sy for a in (y, yv, yt)]

    model = BayesishNet(2)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=60, eta_min=1e-4)
    for epoch in range(60):
        model.train()
        losses = []
        for idx in torch.randperm(len(x)).split(100):
            loss = gaussian_nll(*model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        if epoch % 6 == 5:
            model.eval()
            with torch.no_grad():
                val = gaussian_nll(*model(xv), yv).item()
            print(f"epoch {epoch + 1:2d}  nll {np.mean(losses):+.4f}  val nll {val:+.4f}")

    mean, var = predict(model, xt)
    r2 = 1 - ((mean - yt) ** 2).mean() / yt.var()
    inside = ((yt - mean).abs() < 1.96 * var.sqrt()).float().mean()
    print(f"test R2 {r2.item():.3f}, 95% interval covers {inside.item():.3f}")


if __name__ == "__main__":
    main()

"""RealNVP density model of two-dimensional sensor drift, fitted by gradient ascent on the log-likelihood."""
import argparse

import numpy as np
import torch
from torch import nn


def drift_samples(n, rng):
    """Two interleaved arcs, one denser than the other."""
    k = rng.random(n) < 0.6
    t = rng.uniform(0, np.pi, n)
    x = np.where(k, np.cos(t), 1 - np.cos(t)) - 0.5
    y = np.where(k, np.sin(t), 0.45 - np.sin(t)) - 0.2
    pts = np.column_stack([x, y]) * 1.6 + rng.normal(0, 0.1, (n, 2))
    return torch.tensor(pts, dtype=torch.float32)


class Coupling(nn.Module):
    def __init__(self, flip, hidden):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(), nn.Linear(hidden, 2))
        nn.init.zeros_(self.net[-1].weight)              # start as the identity map
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.unbind(1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a[:, None]).unbind(1)
        s = 2.0 * torch.tanh(s / 2.0)
        b = b * s.exp() + t
        return torch.stack([b, a] if self.flip else [a, b], 1), s

    def inverse(self, z):
        a, b = z.unbind(1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a[:, None]).unbind(1)
        s = 2.0 * torch.tanh(s / 2.0)
        b = (b - t) * (-s).exp()
        return torch.stack([b, a] if self.flip else [a, b], 1)


class Flow(nn.Module):
    def __init__(self, depth=8, hidden=40):
        super().__init__()
        self.steps = nn.ModuleList(Coupling(bool(i % 2), hidden) for i in range(depth))

    def log_prob(self, x):
        logdet = torch.zeros(len(x))
        for step in self.steps:
            x, s = step(x)
            logdet = logdet + s
        return -0.5 * x.pow(2).sum(1) - np.log(2 * np.pi) + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 2)
        for step in reversed(self.steps):
            z = step.inverse(z)
        return z


def gaussian_reference(train, test):
    dist = torch.distributions.MultivariateNormal(train.mean(0), torch.cov(train.T))
    return dist.log_prob(test).mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=1500)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--lr", type=float, default=3e-3)
    cfg = ap.parse_args()
    torch.manual_seed(12)
    rng = np.random.default_rng(12)
    train, val, test = (drift_samples(n, rng) for n in (5000, 1000, 2000))

    flow = Flow()
    opt = torch.optim.Adam(flow.parameters(), lr=cfg.lr, maximize=True)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.steps)
    for step in range(1, cfg.steps + 1):
        batch = train[torch.randint(len(train), (cfg.batch,))]
        loglik = flow.log_prob(batch).mean()
        opt.zero_grad()
        loglik.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 10.0)
        opt.step()
        sched.step()
        if step % 250 == 0:
            with torch.no_grad():
                print(f"step {step:4d}  train log-lik {loglik.item():+.3f}  val log-lik {flow.log_prob(val).mean().item():+.3f}")

    with torch.no_grad():
        ll = flow.log_prob(test).mean().item()
    nearest = torch.cdist(flow.sample(1000), test).min(1).values.mean().item()
    print(f"test log-likelihood {ll:+.3f} nats (full-covariance Gaussian {gaussian_reference(train, test):+.3f})")
    print(f"mean distance of samples to the nearest test point {nearest:.3f}")


if __name__ == "__main__":
    main()

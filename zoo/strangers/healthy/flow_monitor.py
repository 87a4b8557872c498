"""Novelty detection for a distillation column: the density of normal operation by a coupling flow.

The optimiser is written out, since the lab's other code (Fortran) uses the same update and the two are compared.
"""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import roc_auc_score

TAGS = ["T_top", "T_mid", "T_bottom", "reflux", "feed", "pressure"]


def operate(n, rng, fault=False):
    feed = rng.normal(10, 1.0, n)
    reflux = 0.5 * feed + rng.gamma(4.0, 0.5, n)
    p = 1.0 + 0.05 * (feed - 10) + rng.normal(0, 0.03, n)
    bottom = 108 + 6 * np.tanh(feed - 10) - 1.2 * (reflux - 7) + 20 * (p - 1) + rng.normal(0, 0.4, n)
    top = 79 + 3 * np.exp(-0.6 * (reflux - 5)) + 15 * (p - 1) + rng.normal(0, 0.25, n)
    mid = 0.4 * bottom + 0.6 * top + 0.15 * (feed - 10) ** 2 + rng.normal(0, 0.3, n)
    x = np.stack([top, mid, bottom, reflux, feed, p], 1)
    if fault:
        tag = rng.integers(0, 6, n)
        x[np.arange(n), tag] += rng.choice([-1, 1], n) * rng.uniform(0.6, 1.6, n) * x.std(0)[tag]
    return x.astype(np.float32)


class Coupling(nn.Module):
    def __init__(self, dim, keep, width):
        super().__init__()
        self.register_buffer("keep", keep)
        self.net = nn.Sequential(nn.Linear(dim, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2 * dim))
        nn.init.zeros_(self.net[-1].weight)         # every layer starts as the identity
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        s, t = self.net(x * self.keep).chunk(2, -1)
        s = 2.0 * torch.tanh(0.5 * s) * (1 - self.keep)
        return x * s.exp() + t * (1 - self.keep), s.sum(-1)


class Flow(nn.Module):
    def __init__(self, dim, layers=8, width=48):
        super().__init__()
        masks = []
        for k in range(layers):
            m = torch.zeros(dim)
            m[torch.randperm(dim)[:dim // 2]] = 1.0
            masks.append(m if k % 2 == 0 else 1.0 - masks[-1])
        self.layers = nn.ModuleList(Coupling(dim, m, width) for m in masks)
        self.dim = dim

    def log_prob(self, x):
        total = x.new_zeros(len(x))
        for layer in self.layers:
            x, logdet = layer(x)
            total = total + logdet
        return total - 0.5 * x.square().sum(-1) - 0.5 * self.dim * math.log(2 * math.pi)


class Amsgrad:
    def __init__(self, params, rate, b1=0.9, b2=0.99, eps=1e-8):
        self.params = list(params)
        self.rate, self.b1, self.b2, self.eps, self.t = rate, b1, b2, eps, 0
        self.m = [torch.zeros_like(p) for p in self.params]
        self.v = [torch.zeros_like(p) for p in self.params]
        self.top = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def update(self, factor):
        self.t += 1
        norm = math.sqrt(sum(p.grad.square().sum().item() for p in self.params))
        shrink = min(1.0, 5.0 / (norm + 1e-12))
        for p, m, v, top in zip(self.params, self.m, self.v, self.top):
            g = p.grad * shrink
            m.mul_(self.b1).add_(g, alpha=1 - self.b1)
            v.mul_(self.b2).addcmul_(g, g, value=1 - self.b2)
            torch.maximum(top, v, out=top)
            bias = math.sqrt(1 - self.b2 ** self.t) / (1 - self.b1 ** self.t)
            p.sub_(self.rate * factor * bias * m / (top.sqrt() + self.eps))
            p.grad = None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=11)
    ap.add_argument("--iters", type=int, default=1500)
    a = ap.parse_args()
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)
    fit, val, test = operate(8000, rng), operate(1500, rng), operate(3000, rng)
    odd = operate(3000, rng, fault=True)
    mu, sd = fit.mean(0), fit.std(0)
    fit, val, test, odd = (torch.from_numpy((x - mu) / sd) for x in (fit, val, test, odd))

    flow = Flow(len(TAGS))
    opt = Amsgrad(flow.parameters(), rate=3e-3)
    mean = 0.0
    for it in range(a.iters):
        flow.train()
        x = fit[torch.randint(len(fit), (200,))]
        objective = -flow.log_prob(x).mean()
        objective.backward()
        opt.update(0.5 * (1 + math.cos(math.pi * it / a.iters)))
        mean += objective.item() / 100
        if (it + 1) % 100 == 0:
            flow.eval()
            with torch.no_grad():
                print(f"{it + 1:5d}  nats {mean:+.4f}  val {-flow.log_prob(val).mean().item():+.4f}")
            mean = 0.0

    flow.eval()
    with torch.no_grad():
        normal, fault = -flow.log_prob(test), -flow.log_prob(odd)
    gauss = torch.distributions.MultivariateNormal(fit.mean(0), torch.cov(fit.T))
    auc = lambda p, q: roc_auc_score(np.r_[np.zeros(len(p)), np.ones(len(q))], torch.cat([p, q]).numpy())
    print(f"test nats {normal.mean():+.4f} (one Gaussian {-gauss.log_prob(test).mean():+.4f})")
    print(f"fault detection AUC {auc(normal, fault):.4f} (one Gaussian {auc(-gauss.log_prob(test), -gauss.log_prob(odd)):.4f})")


if __name__ == "__main__":
    main()

"""Vertex reconstruction in a spherical liquid-scintillator detector from the charge pattern on the phototubes.

Some events carry a second, late flash (pile-up), which spoils their charge pattern; the loss is a bounded
Welsch function of the distance so that those events do not pull the fit.
"""
import os
from types import SimpleNamespace as NS

import numpy as np
import torch

cfg = NS(
    seed=int(os.environ.get("RUN_SEED", 0)),
    tubes=92,
    events=NS(train=12000, valid=2000, test=4000),
    pileup=0.06,
    batch=128,
    epochs=20,
    lr=1.5e-3,
    loss=NS(width=0.04),        # in detector radii
)


def sphere(n):
    """Fibonacci lattice"""
    k = np.arange(n) + 0.5
    polar = np.arccos(1 - 2 * k / n)
    azimuth = np.pi * (1 + 5 ** 0.5) * k
    return np.stack([np.cos(azimuth) * np.sin(polar), np.sin(azimuth) * np.sin(polar), np.cos(polar)], 1)


def ball(n, rng):
    v = rng.normal(size=(n, 3))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    return v * 0.9 * rng.random((n, 1)) ** (1 / 3)


def charges(vertex, photons, pmt):
    d = pmt[None] - vertex[:, None]
    r2 = (d ** 2).sum(-1)
    cosine = np.maximum((d * pmt[None]).sum(-1) / np.sqrt(r2), 0.05)
    return photons[:, None] * cosine * np.exp(-np.sqrt(r2) / 3.0) / (r2 + 0.02) / len(pmt)


def events(n, pmt, rng, pileup):
    vertex = ball(n, rng)
    mean = charges(vertex, rng.uniform(400, 1200, n), pmt)
    late = rng.random(n) < pileup
    mean += late[:, None] * charges(ball(n, rng), rng.uniform(400, 1200, n), pmt)
    q = rng.poisson(mean) + rng.normal(0, 0.3, mean.shape)
    q = np.sqrt(np.maximum(q, 0.0))
    return q.astype(np.float32), vertex.astype(np.float32), late


def welsch(pred, truth, width):
    """1 - exp(-d^2 / 2 w^2), quadratic near zero and bounded by one"""
    d2 = (pred - truth).square().sum(1)
    return (1.0 - torch.exp(-0.5 * d2 / width ** 2)).mean()


def network(n_in):
    nn = torch.nn
    return nn.Sequential(
        nn.Linear(n_in, 128), nn.SiLU(),
        nn.Linear(128, 128), nn.SiLU(),
        nn.Linear(128, 64), nn.SiLU(),
        nn.Linear(64, 3),
    )


def minibatches(x, y, size, g):
    for idx in torch.randperm(len(x), generator=g).split(size):
        yield x[idx], y[idx]


@torch.no_grad()
def distances(net, x, y):
    net.eval()
    return (net(x) - y).norm(dim=1)


def main():
    rng = np.random.default_rng(cfg.seed)
    torch.manual_seed(cfg.seed)
    g = torch.Generator().manual_seed(cfg.seed)
    pmt = sphere(cfg.tubes)

    qtr, vtr, _ = events(cfg.events.train, pmt, rng, cfg.pileup)
    qva, vva, _ = events(cfg.events.valid, pmt, rng, cfg.pileup)
    qte, vte, late = events(cfg.events.test, pmt, rng, cfg.pileup)
    mu, sd = qtr.mean(0), qtr.std(0)
    xtr, xva, xte = (torch.from_numpy((q - mu) / sd) for q in (qtr, qva, qte))
    ytr, yva, yte = map(torch.from_numpy, (vtr, vva, vte))

    net = network(cfg.tubes)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    steps = cfg.epochs * -(-len(xtr) // cfg.batch)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)

    for epoch in range(cfg.epochs):
        net.train()
        running, n = 0.0, 0
        for x, y in minibatches(xtr, ytr, cfg.batch, g):
            loss = welsch(net(x), y, cfg.loss.width)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            running, n = running + loss.item() * len(x), n + len(x)
        d = distances(net, xva, yva)
        print(f"epoch {epoch:2d}  loss {running / n:.5f}  valid: median {d.median():.4f}  68% {d.quantile(0.68):.4f}")

    d = distances(net, xte, yte)
    clean = d[~torch.from_numpy(late)]
    print(f"test, single events: median distance {clean.median():.4f} R, mean {clean.mean():.4f} R")
    print(f"test, all events:    median distance {d.median():.4f} R, mean {d.mean():.4f} R")


if __name__ == "__main__":
    main()

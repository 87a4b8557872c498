"""Snapshot ensembling for a damped-oscillator forecaster (Huang et al. style warm restarts)."""
import copy
import logging
import sys

import numpy as np
import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingWarmRestarts

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%M:%S")
info = logging.info

cfg = {
    "seed": 13,
    "window": 16,
    "horizon": 4,
    "n": {"train": 3000, "val": 800, "test": 800},
    "hidden": 64,
    "batch": 16,
    "cycle": 6,
    "n_cycles": 3,
    "lr_max": 0.1,
    "lr_min": 1e-4,
    "momentum": 0.9,
}


def oscillators(n, rng):
    t = np.arange(cfg["window"] + cfg["horizon"])[None, :]
    omega = rng.uniform(0.3, 1.0, (n, 1))
    decay = rng.uniform(0.0, 0.06, (n, 1))
    amp = rng.uniform(1.0, 2.0, (n, 1))
    phase = rng.uniform(0, 2 * np.pi, (n, 1))
    x = amp * np.exp(-decay * t) * np.sin(omega * t + phase)
    x = x + rng.normal(0, 0.1, x.shape)
    x = torch.tensor(x, dtype=torch.float32)
    return x[:, : cfg["window"]], x[:, cfg["window"]:]


def make_net():
    h = cfg["hidden"]
    return nn.Sequential(
        nn.Linear(cfg["window"], h), nn.ReLU(),
        nn.Linear(h, h), nn.ReLU(),
        nn.Linear(h, cfg["horizon"]),
    )


@torch.no_grad()
def rmse(nets, x, y):
    for net in nets:
        net.eval()
    pred = torch.stack([net(x) for net in nets]).mean(0)
    return (pred - y).pow(2).mean().sqrt().item()


def train_epoch(net, opt, x, y, gen):
    net.train()
    total = 0.0
    for idx in torch.randperm(len(x), generator=gen).split(cfg["batch"]):
        loss = nn.functional.mse_loss(net(x[idx]), y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
    return total / len(x)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(cfg["seed"])
    gen = torch.Generator().manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])
    (x_tr, y_tr), (x_va, y_va), (x_te, y_te) = (oscillators(cfg["n"][k], rng) for k in ("train", "val", "test"))

    net = make_net()
    opt = torch.optim.SGD(net.parameters(), lr=cfg["lr_max"], momentum=cfg["momentum"])
    scheduler = CosineAnnealingWarmRestarts(opt, T_0=cfg["cycle"], eta_min=cfg["lr_min"])

    snapshots = []
    for epoch in range(1, cfg["cycle"] * cfg["n_cycles"] + 1):
        scheduler.step()
        lr = opt.param_groups[0]["lr"]
        train_loss = train_epoch(net, opt, x_tr, y_tr, gen)
        info("epoch %02d  lr %.4f  train mse %.5f  val rmse %.4f", epoch, lr, train_loss, rmse([net], x_va, y_va))
        if epoch % cfg["cycle"] == 0:
            snapshots.append(copy.deepcopy(net))
            info("    snapshot %d taken", len(snapshots))

    info("last snapshot test rmse %.4f", rmse(snapshots[-1:], x_te, y_te))
    info("ensemble of %d  test rmse %.4f", len(snapshots), rmse(snapshots, x_te, y_te))


if __name__ == "__main__":
    main()

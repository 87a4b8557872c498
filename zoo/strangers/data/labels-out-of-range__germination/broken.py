"""Germination rate of seed trays as a function of their treatment.

Each tray holds 60 seeds; the network outputs one logit per tray and is fitted with the
binomial likelihood, i.e. cross-entropy between the observed rate and the predicted one.
"""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Settings:
    seed: int = 31
    trays: int = 4000
    seeds_per_tray: int = 60
    hidden: int = 40
    batch: int = 80
    epochs: int = 45
    lr: float = 3e-3


@dataclass
class Trays:
    treatment: np.ndarray  # temperature, moisture, salinity, depth, age, light
    percent: np.ndarray    # what the lab sheet says, 0 ... 100


def grow(cfg: Settings, rng) -> Trays:
    n = cfg.trays
    temp = rng.uniform(4, 36, n)
    moist = rng.uniform(0.05, 0.6, n)
    salt = rng.exponential(2.0, n)
    depth = rng.uniform(0, 6, n)
    age = rng.integers(0, 8, n)
    light = rng.uniform(0, 16, n)
    drive = (
        2.2
        - ((temp - 21) / 7.5) ** 2
        + 5.0 * (moist - 0.3) * (temp < 26)
        - 0.35 * salt
        - 0.06 * depth ** 2
        - 0.12 * age
        + 0.04 * light
    )
    sprouted = rng.binomial(cfg.seeds_per_tray, 1 / (1 + np.exp(-drive)))
    percent = 100.0 * sprouted / cfg.seeds_per_tray
    return Trays(np.stack([temp, moist, salt, depth, age, light], 1), percent)


def as_tensors(trays: Trays, rows, mean, std):
    x = torch.tensor((trays.treatment[rows] - mean) / std, dtype=torch.float32)
    rate = torch.tensor(trays.percent[rows], dtype=torch.float32)
    return x, rate.unsqueeze(1)


def make_net(n_in, hidden):
    return nn.Sequential(
        nn.Linear(n_in, hidden), nn.SiLU(),
        nn.Linear(hidden, hidden), nn.SiLU(),
        nn.Linear(hidden, 1),
    )


@torch.no_grad()
def error_in_points(net, x, percent):
    net.eval()
    guess = 100.0 * torch.sigmoid(net(x)).squeeze(1).numpy()
    return float(np.abs(guess - percent).mean())


def main(cfg=Settings()):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    trays = grow(cfg, rng)

    rows = rng.permutation(cfg.trays)
    a, b = int(0.7 * cfg.trays), int(0.85 * cfg.trays)
    fit_rows, dev_rows, test_rows = rows[:a], rows[a:b], rows[b:]
    mean = trays.treatment[fit_rows].mean(0)
    std = trays.treatment[fit_rows].std(0)

    x, rate = as_tensors(trays, fit_rows, mean, std)
    x_dev, _ = as_tensors(trays, dev_rows, mean, std)
    x_test, _ = as_tensors(trays, test_rows, mean, std)

    net = make_net(x.shape[1], cfg.hidden)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=cfg.lr, epochs=cfg.epochs, steps_per_epoch=-(-len(x) // cfg.batch))

    for epoch in range(cfg.epochs):
        net.train()
        order = torch.randperm(len(x))
        total = 0.0
        for lo in range(0, len(x), cfg.batch):
            pick = order[lo:lo + cfg.batch]
            loss = F.binary_cross_entropy_with_logits(net(x[pick]), rate[pick])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(pick)
        if epoch % 5 == 4:
            dev = error_in_points(net, x_dev, trays.percent[dev_rows])
            print(f"epoch {epoch + 1:3d}  loss {total / len(x):10.4f}  dev error {dev:6.2f} points")

    test = error_in_points(net, x_test, trays.percent[test_rows])
    naive = np.abs(trays.percent[test_rows] - trays.percent[fit_rows].mean()).mean()
    print(f"test error {test:.2f} percentage points (always the mean: {naive:.2f})")


if __name__ == "__main__":
    main()

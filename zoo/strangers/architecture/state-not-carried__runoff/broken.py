"""River discharge from daily rain and temperature: a recurrent rainfall-runoff model.

Each catchment is one long record. It is read twenty days at a time and the gradient is
truncated at the end of each stretch, as in ordinary truncated back-propagation through time.
"""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn


@dataclass
class Settings:
    catchments: int = 48
    years: int = 4
    window: int = 20
    hidden: int = 24
    epochs: int = 18
    lr: float = 1e-2
    seed: int = 8


def simulate(cfg, rng):
    """Linear reservoirs: a slow one (groundwater), a snow store, a fast one."""
    days = cfg.years * 360
    t = np.arange(days)
    n = cfg.catchments
    season = np.sin(2 * np.pi * (t / 360.0 + rng.uniform(0, 1, (n, 1))))
    temp = 11 + 9 * season + rng.normal(0, 2, (n, days))
    rain = rng.gamma(0.6, 6.0, (n, days)) * (rng.random((n, days)) < 0.35)
    snow, fast, slow = np.zeros(n), np.zeros(n), np.full(n, 60.0)
    q = np.zeros((n, days))
    for d in range(days):
        freezing = temp[:, d] < 0
        snow += rain[:, d] * freezing
        melt = np.minimum(snow, np.clip(temp[:, d], 0, None) * 1.5)
        snow -= melt
        water = rain[:, d] * ~freezing + melt
        fast += 0.1 * water
        slow += 0.9 * water
        q[:, d] = 0.30 * fast + 0.02 * slow
        fast *= 0.70
        slow *= 0.98
    return np.stack([rain, temp], axis=-1), q


class Runoff(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x, h=None):
        y, h = self.rnn(x)
        return self.out(y).squeeze(-1), h


def stretches(x, q, width):
    for start in range(0, x.shape[1], width):
        yield x[:, start:start + width], q[:, start:start + width]


def train_epoch(model, opt, x, q, cfg):
    model.train()
    total, h = 0.0, None
    for xm, qm in stretches(x, q, cfg.window):
        pred, h = model(xm, h)
        h = h.detach()
        loss = nn.functional.mse_loss(pred, qm)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        total += loss.item() * qm.shape[1]
    return total / q.shape[1]


@torch.no_grad()
def nash_sutcliffe(model, x, q, spin_up, cfg):
    """1 is perfect, 0 is no better than the mean flow. The first year is spin-up."""
    model.eval()
    preds, h = [], None
    for xm, _ in stretches(x, q, cfg.window):
        pred, h = model(xm, h)
        preds.append(pred)
    p, o = torch.cat(preds, dim=1)[:, spin_up:], q[:, spin_up:]
    return (1 - (p - o).pow(2).sum() / (o - o.mean()).pow(2).sum()).item()


def main():
    cfg = Settings()
    torch.manual_seed(cfg.seed)
    x, q = simulate(cfg, np.random.default_rng(cfg.seed))
    x, q = torch.tensor(x, dtype=torch.float32), torch.tensor(q, dtype=torch.float32)
    n_train = int(0.75 * cfg.catchments)
    xm, xs = x[:n_train].mean((0, 1)), x[:n_train].std((0, 1))
    qm, qs = q[:n_train].mean(), q[:n_train].std()
    x, q = (x - xm) / xs, (q - qm) / qs

    model = Runoff(cfg.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg.epochs, eta_min=5e-4)
    for epoch in range(cfg.epochs):
        loss = train_epoch(model, opt, x[:n_train], q[:n_train], cfg)
        sched.step()
        print(f"epoch {epoch + 1:2d}  mse {loss:.4f}")
    print(f"Nash-Sutcliffe, training catchments: {nash_sutcliffe(model, x[:n_train], q[:n_train], 360, cfg):.3f}")
    print(f"Nash-Sutcliffe, unseen catchments:   {nash_sutcliffe(model, x[n_train:], q[n_train:], 360, cfg):.3f}")


if __name__ == "__main__":
    main()

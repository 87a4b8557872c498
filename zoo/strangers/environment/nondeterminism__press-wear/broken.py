"""Tool-wear estimation for stamping presses.

Each press logs one vibration window per shift; the label is the wear measured at the next service (0 = new, 1 = worn out).
The model has to work on presses it was never trained on, therefore the split goes by press and not by row.
"""
import random
from dataclasses import dataclass

import numpy as np
import polars as pl
import torch
import torch.nn as nn

CHANNELS, WINDOW = 3, 48


@dataclass(frozen=True)
class Config:
    n_presses: int = 30
    shifts: int = 60
    hidden: int = 32
    epochs: int = 14
    batch: int = 64
    lr: float = 3e-3
    seed: int = 2024
    test_percent: int = 20


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def simulate(cfg):
    rng = np.random.default_rng(cfg.seed)
    sites = ["turin", "leipzig", "brno", "gyor"]
    meta, signals = [], []
    for i in range(cfg.n_presses):
        press = f"{rng.choice(sites)}-{i:03d}"
        speed, stiff, gain = rng.uniform(0.6, 1.6), rng.uniform(0.7, 1.3), rng.uniform(0.6, 1.5)
        curve = rng.uniform(0.6, 1.8)
        for s in range(cfg.shifts):
            wear = (rng.uniform(0, 1)) ** curve
            t = np.arange(WINDOW) / WINDOW
            base = np.sin(2 * np.pi * (4 * speed * t + rng.uniform()))
            rattle = wear * stiff * np.sin(2 * np.pi * (13 * speed * t + rng.uniform()))
            knock = wear**2 * (np.abs(t - rng.uniform(0.2, 0.8)) < 0.04)
            x = np.stack([base + rattle, gain * (0.5 * base + knock), 0.3 * base + 0.8 * rattle * gain])
            signals.append(x + 0.25 * rng.standard_normal(x.shape))
            meta.append((press, s, float(wear)))
    frame = pl.DataFrame(meta, schema=["press", "shift", "wear"], orient="row")
    return frame, np.stack(signals).astype(np.float32)


def bucket(press_id):
    """Bucket 0..99 of a press; does not depend on row order or on presses added later."""
    return hash(press_id) % 100


def split(frame, cfg):
    presses = frame["press"].unique(maintain_order=True).to_list()
    ranked = sorted(presses, key=lambda p: (bucket(p), p))
    n_test = max(1, len(presses) * cfg.test_percent // 100)
    held_out = set(ranked[:n_test])
    in_test = np.array([p in held_out for p in frame["press"]])
    return np.flatnonzero(~in_test), np.flatnonzero(in_test), sorted(held_out)


class WearNet(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(CHANNELS, hidden, 5, padding=2), nn.ReLU(),
                                   nn.Conv1d(hidden, hidden, 5, stride=2, padding=2), nn.ReLU())
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(2 * hidden, 1)

    def forward(self, x):
        h = self.front(x).transpose(1, 2)
        out, _ = self.rnn(h)
        return self.head(torch.cat([out.mean(1), out.amax(1)], dim=1)).squeeze(1)


def fit(model, x, y, cfg):
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    steps = cfg.epochs * (-(-len(x) // cfg.batch))
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=steps)
    for epoch in range(cfg.epochs):
        model.train()
        running = 0.0
        for idx in torch.randperm(len(x)).split(cfg.batch):
            loss = nn.functional.mse_loss(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item() * len(idx)
        if epoch % 2 == 1:
            print(f"epoch {epoch + 1:2d}  train mse {running / len(x):.5f}")


def main(cfg=Config()):
    seed_everything(cfg.seed)
    frame, signals = simulate(cfg)
    tr, te, held_out = split(frame, cfg)
    mean, std = signals[tr].mean((0, 2), keepdims=True), signals[tr].std((0, 2), keepdims=True)
    x = torch.from_numpy((signals - mean) / std)
    y = torch.tensor(frame["wear"].to_numpy(), dtype=torch.float32)
    print(f"{len(tr)} train windows, {len(te)} test windows, held-out presses: {', '.join(held_out)}")

    model = WearNet(cfg.hidden)
    fit(model, x[tr], y[tr], cfg)

    model.eval()
    with torch.no_grad():
        pred = model(x[te])
    mae = (pred - y[te]).abs().mean().item()
    naive = (y[tr].median() - y[te]).abs().mean().item()
    worst = max((pred - y[te])[torch.tensor(frame["press"].to_numpy()[te] == p)].abs().mean().item() for p in held_out)
    print(f"test mae {mae:.4f} (median guess {naive:.4f}), worst press {worst:.4f}")


if __name__ == "__main__":
    main()

"""One-step-ahead electricity load forecasting for a fleet of buildings.

Every building is one lane of the batch; the year is read in order, a few days at a
time, and the GRU keeps its memory from one piece to the next.
"""
import argparse
import random
import time

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    """Sign-momentum optimizer (Chen et al., 2023)."""

    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                g = p.grad.data
                state = self.state[p]
                if "m" not in state:
                    state["m"] = torch.zeros_like(p.data)
                m = state["m"]
                update = (m * b1 + g * (1 - b1)).sign_()
                p.data.mul_(1 - group["lr"] * group["weight_decay"])
                p.data.add_(update, alpha=-group["lr"])
                m.mul_(b2).add_(g, alpha=1 - b2)


def simulate(n_buildings, n_hours, rng):
    """Load with a daily and weekly cycle, a slow occupancy level and weather."""
    t = np.arange(n_hours)
    load = np.zeros((n_buildings, n_hours), dtype=np.float32)
    temp = np.zeros((n_buildings, n_hours), dtype=np.float32)
    for b in range(n_buildings):
        phase = rng.normal(0, 1.5)
        base = rng.uniform(0.6, 1.6)
        occ = np.zeros(n_hours)
        w = np.zeros(n_hours)
        for i in range(1, n_hours):
            occ[i] = 0.98 * occ[i - 1] + 0.1 * rng.normal()
            w[i] = 0.95 * w[i - 1] + 0.2 * rng.normal()
        daily = np.sin(2 * np.pi * (t - 8 - phase) / 24)
        weekly = np.where((t // 24) % 7 >= 5, -0.6, 0.25)
        load[b] = base * (2 + daily + weekly) + occ + 0.5 * np.abs(w) + 0.12 * rng.normal(size=n_hours)
        temp[b] = w
    return load, temp, t


class LoadModel(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.rnn = nn.GRU(n_in, hidden, batch_first=True)
        self.out = nn.Sequential(nn.Linear(hidden, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, h=None):
        y, h = self.rnn(x, h)
        return self.out(y).squeeze(-1), h


class Trainer:
    def __init__(self, model, optimizer, args):
        self.model = model
        self.optimizer = optimizer
        self.chunk = args.chunk
        self.loss_fn = nn.SmoothL1Loss()
        self.memory = None

    def pieces(self, x, y):
        for start in range(0, x.shape[1] - self.chunk + 1, self.chunk):
            yield x[:, start:start + self.chunk], y[:, start:start + self.chunk]

    def training_step(self, x, y):
        pred, h = self.model(x, self.memory)
        loss = self.loss_fn(pred, y)
        self.optimizer.zero_grad()
        loss.backward(retain_graph=True)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.memory = h
        return loss.item()

    def fit_epoch(self, x, y):
        self.model.train()
        self.memory = None
        losses = [self.training_step(bx, by) for bx, by in self.pieces(x, y)]
        return float(np.mean(losses))

    @torch.no_grad()
    def evaluate(self, x_hist, x, y):
        self.model.eval()
        _, h = self.model(x_hist)
        pred, _ = self.model(x, h)
        return (pred - y).abs().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--buildings", type=int, default=16)
    ap.add_argument("--hours", type=int, default=24 * 7 * 6)
    ap.add_argument("--chunk", type=int, default=36)
    ap.add_argument("--hidden", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=16)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    load, temp, t = simulate(args.buildings, args.hours, rng)
    cut = int(0.8 * args.hours)
    mu, sd = load[:, :cut].mean(), load[:, :cut].std()
    tmu, tsd = temp[:, :cut].mean(), temp[:, :cut].std()
    z = (load - mu) / sd
    clock = np.stack([np.sin(2 * np.pi * t / 24), np.cos(2 * np.pi * t / 24),
                      np.sin(2 * np.pi * t / 168), np.cos(2 * np.pi * t / 168)], -1)
    clock = np.broadcast_to(clock, (args.buildings,) + clock.shape)
    feats = np.concatenate([z[..., None], ((temp - tmu) / tsd)[..., None], clock], -1).astype(np.float32)
    x = torch.from_numpy(feats[:, :-1].copy())
    y = torch.from_numpy(z[:, 1:].copy())
    x_tr, y_tr = x[:, :cut - 1], y[:, :cut - 1]
    x_te, y_te = x[:, cut - 1:], y[:, cut - 1:]

    model = LoadModel(x.shape[-1], args.hidden)
    optimizer = Lion(model.parameters(), lr=args.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs, eta_min=3e-5)
    trainer = Trainer(model, optimizer, args)
    for epoch in range(args.epochs):
        t0 = time.time()
        loss = trainer.fit_epoch(x_tr, y_tr)
        sched.step()
        print(f"epoch {epoch:02d}  train {loss:.4f}  {time.time() - t0:.2f}s")
    mae = trainer.evaluate(x_tr, x_te, y_te)
    naive = (x_te[..., 0] - y_te).abs().mean().item()
    print(f"test MAE {mae * sd:.4f}  (persistence {naive * sd:.4f})")


if __name__ == "__main__":
    main()

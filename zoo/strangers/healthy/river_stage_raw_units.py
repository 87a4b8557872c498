"""River stage 6 h ahead from gauges in raw units.

Historian units go straight into the network; its first layer is a BatchNorm without affine terms, which learns the scaling from
training batches and travels with the checkpoint. Micro-batches of 32, one optimizer step per 4 of them; 1-cycle per step.
"""
import argparse

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUM = 4
COLUMNS = ["upstream_mm", "rain_mm", "rain_72h_mm", "soil_pct", "pressure_pa", "temp_k", "gate_m"]


def storms(n, rng):
    """Independent storm events, so rows may be shuffled freely."""
    up = rng.normal(2400, 500, n)
    rain = rng.gamma(0.8, 6.0, n)
    rain72 = rain + rng.gamma(2.0, 14.0, n)
    soil = np.clip(30 + 0.5 * rain72 + rng.normal(0, 8, n), 5, 100)
    pres = rng.normal(100_900, 900, n)
    temp = rng.normal(283, 7, n)
    gate = rng.uniform(0.0, 3.0, n)
    runoff = rain * (soil / 100) ** 1.5 * 38
    melt = 9 * np.maximum(temp - 278, 0) * (soil > 45)
    stage = 600 + 0.62 * up + runoff + melt - 130 * np.tanh(gate - 1.2) - 0.02 * (pres - 100_900)
    stage = stage + rng.normal(0, 25, n)
    x = np.stack([up, rain, rain72, soil, pres, temp, gate], 1)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(stage, dtype=torch.float32)


class StageNet(nn.Module):
    def __init__(self, n_in, target_mean, target_std, width=64):
        super().__init__()
        self.scale_in = nn.BatchNorm1d(n_in, affine=False)
        self.net = nn.Sequential(nn.Linear(n_in, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1))
        self.register_buffer("target_mean", target_mean)
        self.register_buffer("target_std", target_std)

    def forward(self, x):
        z = self.net(self.scale_in(x)).squeeze(-1)
        return self.target_mean + self.target_std * z


class RelativeHuber(nn.Module):
    """Huber on millimetres divided by a fixed scale; summed, because micro-batches are added up by hand."""

    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, pred, target):
        return nn.functional.smooth_l1_loss(pred / self.scale, target / self.scale, reduction="sum")


def evaluate(model, x, y):
    was_training = model.training
    model.eval()
    with torch.inference_mode():
        err = model(x) - y
    model.train(was_training)
    return err.abs().mean().item(), 1 - (err.pow(2).mean() / y.var(unbiased=False)).item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--events", type=int, default=6400)
    p.add_argument("--epochs", type=int, default=24)
    p.add_argument("--lr", type=float, default=4e-3)
    args = p.parse_args()
    torch.manual_seed(12)
    x, y = storms(args.events, np.random.default_rng(12))
    n_tr, n_va = 4480, 960
    tr, va, te = slice(0, n_tr), slice(n_tr, n_tr + n_va), slice(n_tr + n_va, None)

    loader = DataLoader(TensorDataset(x[tr], y[tr]), batch_size=32, shuffle=True, drop_last=True)
    model = StageNet(len(COLUMNS), y[tr].mean(), y[tr].std())
    criterion = RelativeHuber(scale=y[tr].std().item())
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    updates = args.epochs * (len(loader) // ACCUM)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=updates)
    print(f"{len(loader)} micro-batches per epoch, {updates} updates in all")

    for epoch in range(args.epochs):
        model.train()
        seen, total = 0, 0.0
        opt.zero_grad()
        for i, (xb, yb) in enumerate(loader, start=1):
            loss = criterion(model(xb), yb)
            (loss / (32 * ACCUM)).backward()
            seen, total = seen + len(yb), total + loss.item()
            if i % ACCUM:
                continue
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            opt.step()
            opt.zero_grad()
            sched.step()
        if epoch % 4 == 3:
            mae, nse = evaluate(model, x[va], y[va])
            print(f"epoch {epoch + 1:2d}  huber {total / seen:.4f}  val mae {mae:.1f} mm  NSE {nse:.3f}")

    mae, nse = evaluate(model, x[te], y[te])
    print(f"test mae {mae:.1f} mm (noise alone: {25 * (2 / np.pi) ** 0.5:.1f})  NSE {nse:.3f}")


if __name__ == "__main__":
    main()

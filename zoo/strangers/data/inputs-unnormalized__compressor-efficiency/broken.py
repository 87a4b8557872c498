#!/usr/bin/env python
"""Predict isentropic efficiency of a compressor stage from plant historian tags."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

TAGS = ["p_suction_pa", "p_discharge_pa", "t_suction_k", "shaft_rpm", "mass_flow_kg_s", "igv_deg", "motor_w"]


def read_historian(n_rows, seed):
    """Stand-in for the SQL query: one row per ten-minute average, SI units."""
    rng = np.random.default_rng(seed)
    p_in = rng.normal(101_300, 2_500, n_rows)
    ratio = rng.uniform(2.0, 4.5, n_rows)
    t_in = rng.normal(293, 9, n_rows)
    rpm = rng.uniform(8_500, 14_500, n_rows)
    igv = rng.uniform(-10, 50, n_rows)
    phi = rng.uniform(0.7, 1.3, n_rows)
    flow = phi * rpm / 11_500 * p_in / 101_300 * np.cos(np.deg2rad(igv)) * 6.0
    r, s = (ratio - 3.2) / 0.75, (rpm - 11_500) / 1_750
    eta = (0.84 - 0.9 * (phi - 1.0 - 0.05 * s) ** 2 - 0.012 * (r - 0.5 * s) ** 2
           - 0.00002 * (igv - 12) ** 2 + 0.015 * np.tanh((t_in - 293) / 9))
    work = flow * 1005 * t_in * (ratio ** 0.286 - 1)
    motor = work / 0.82 * (1 + 0.05 * rng.normal(size=n_rows))
    eta = eta + 0.003 * rng.normal(size=n_rows)
    x = np.stack([p_in, p_in * ratio, t_in, rpm, flow, igv, motor], axis=1)
    return x.astype(np.float32), eta.astype(np.float32)


class EfficiencyNet(nn.Module):
    def __init__(self, n_in, width=64, depth=2):
        super().__init__()
        layers, d = [], n_in
        for _ in range(depth):
            layers += [nn.Linear(d, width), nn.Tanh()]
            d = width
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(d, 1)

    def forward(self, x):
        return self.head(self.body(x)).squeeze(-1)


def evaluate(model, x, y, y_mu, y_sd):
    model.eval()
    with torch.no_grad():
        pred = model(x) * y_sd + y_mu
    mae = (pred - y).abs().mean().item()
    r2 = 1 - ((pred - y) ** 2).sum().item() / ((y - y.mean()) ** 2).sum().item()
    return mae, r2


def main(argv=None):
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--rows", type=int, default=5000)
    ap.add_argument("--epochs", type=int, default=40)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--width", type=int, default=64)
    ap.add_argument("--seed", type=int, default=7)
    args = ap.parse_args(argv)
    torch.manual_seed(args.seed)

    x, y = read_historian(args.rows, args.seed)
    perm = np.random.default_rng(args.seed).permutation(len(x))
    n_tr, n_va = int(0.7 * len(x)), int(0.15 * len(x))
    tr, va, te = perm[:n_tr], perm[n_tr:n_tr + n_va], perm[n_tr + n_va:]

    x_tr, x_va, x_te = (torch.from_numpy(x[i]) for i in (tr, va, te))
    y_tr, y_va, y_te = (torch.from_numpy(y[i]) for i in (tr, va, te))
    y_mu, y_sd = y_tr.mean(), y_tr.std()
    loader = DataLoader(TensorDataset(x_tr, (y_tr - y_mu) / y_sd), args.batch_size, shuffle=True, drop_last=True)

    model = EfficiencyNet(len(TAGS), args.width)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    criterion = nn.MSELoss()

    for epoch in range(args.epochs):
        model.train()
        losses = []
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        scheduler.step()
        if epoch % 5 == 4 or epoch == 0:
            mae, r2 = evaluate(model, x_va, y_va, y_mu, y_sd)
            print(f"epoch {epoch + 1:3d} | mse {np.mean(losses):.4f} | val MAE {100 * mae:.3f} pts | val R2 {r2:.3f}")

    mae, r2 = evaluate(model, x_te, y_te, y_mu, y_sd)
    print(f"TEST  MAE {100 * mae:.3f} efficiency points, R2 {r2:.3f}")


if __name__ == "__main__":
    main()

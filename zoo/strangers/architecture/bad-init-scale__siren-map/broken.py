import argparse
import math

import torch
from torch import nn


def get_args():
    ap = argparse.ArgumentParser(description="Coordinate network for a terrain tile, fitted on part of the pixels")
    ap.add_argument("--size", type=int, default=48)
    ap.add_argument("--hidden", type=int, default=64)
    ap.add_argument("--depth", type=int, default=3)
    ap.add_argument("--omega", type=float, default=15.0)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--iters", type=int, default=500)
    ap.add_argument("--keep", type=float, default=0.6)
    ap.add_argument("--seed", type=int, default=0)
    return ap.parse_args()


class Sine(nn.Module):
    def __init__(self, fan_in, fan_out, omega, first=False):
        super().__init__()
        self.omega = omega
        self.lin = nn.Linear(fan_in, fan_out)
        bound = 1 / fan_in if first else math.sqrt(6 / fan_in)
        nn.init.uniform_(self.lin.weight, -bound, bound)

    def forward(self, x):
        return torch.sin(self.omega * self.lin(x))


class Siren(nn.Module):
    def __init__(self, hidden, depth, omega):
        super().__init__()
        layers = [Sine(2, hidden, omega, first=True)]
        layers += [Sine(hidden, hidden, omega) for _ in range(depth - 1)]
        self.features = nn.Sequential(*layers)
        self.readout = nn.Linear(hidden, 1)

    def forward(self, xy):
        return self.readout(self.features(xy)).squeeze(-1)


def terrain(size):
    ax = torch.linspace(-1, 1, size)
    yy, xx = torch.meshgrid(ax, ax, indexing="ij")
    z = 0.6 * torch.sin(5 * xx + 2 * yy) + 0.4 * torch.cos(7 * yy - xx)
    z = z + 1.2 * torch.exp(-((xx - 0.3) ** 2 + (yy + 0.2) ** 2) / 0.05)
    z = z - 0.8 * torch.exp(-((xx + 0.5) ** 2 + (yy - 0.4) ** 2) / 0.02)
    z = (z - z.mean()) / z.std()
    return torch.stack([xx, yy], -1).view(-1, 2), z.view(-1)


def psnr(model, xy, z):
    model.eval()
    with torch.no_grad():
        mse = (model(xy) - z).pow(2).mean()
    model.train()
    peak = (z.max() - z.min()).item()
    return 10 * math.log10(peak ** 2 / mse.item())


def main():
    a = get_args()
    torch.manual_seed(a.seed)
    xy, z = terrain(a.size)
    perm = torch.randperm(len(z))
    k = int(a.keep * len(z))
    fit_idx, held_idx = perm[:k], perm[k:]
    model = Siren(a.hidden, a.depth, a.omega)
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.iters, eta_min=a.lr / 20)
    for it in range(1, a.iters + 1):
        loss = (model(xy[fit_idx]) - z[fit_idx]).pow(2).mean()
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        if it % 100 == 0:
            print(f"iter {it}: mse {loss.item():.5f}  psnr(fit) {psnr(model, xy[fit_idx], z[fit_idx]):.1f} dB  "
                  f"psnr(held out) {psnr(model, xy[held_idx], z[held_idx]):.1f} dB")


if __name__ == "__main__":
    main()

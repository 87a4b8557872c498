#!/usr/bin/env python
"""Two-player game on a ring of Gaussians."""
import argparse
import math

import torch
from torch import nn
import torch.nn.functional as F


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=2000)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--latent", type=int, default=8)
    ap.add_argument("--lr-d", type=float, default=1e-3)
    ap.add_argument("--lr-g", type=float, default=1e-3)
    ap.add_argument("--gp", type=float, default=0.2)
    ap.add_argument("--seed", type=int, default=0)
    return ap.parse_args()


CENTERS = torch.tensor([[math.cos(2 * math.pi * k / 8), math.sin(2 * math.pi * k / 8)] for k in range(8)]) * 1.5
SPREAD = 0.1


def real_batch(n):
    return CENTERS[torch.randint(0, 8, (n,))] + SPREAD * torch.randn(n, 2)


def mlp(n_in, n_out, width=64):
    return nn.Sequential(
        nn.Linear(n_in, width), nn.LeakyReLU(0.2),
        nn.Linear(width, width), nn.LeakyReLU(0.2),
        nn.Linear(width, n_out),
    )


class Player:
    """A network together with the optimiser that moves it."""

    def __init__(self, net, lr):
        self.net = net
        self.opt = torch.optim.Adam(net.parameters(), lr=lr, betas=(0.5, 0.99))

    def __call__(self, x):
        return self.net(x)

    def improve(self, loss):
        loss.backward()
        self.opt.step()
        self.opt.zero_grad()
        return loss.item()


def smoothness(critic, x):
    x = x.detach().requires_grad_(True)
    (slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
    return slope.square().sum(1).mean()


def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


@torch.no_grad()
def report(gen, latent, n=2000):
    fake = gen(torch.randn(n, latent))
    dist, nearest = torch.cdist(fake, CENTERS).min(1)
    good = dist < 4 * SPREAD
    covered = sum(int(((nearest == k) & good).sum() > n // 80) for k in range(8))
    return energy_distance(fake, real_batch(n)), good.float().mean().item(), covered


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    gen = Player(mlp(args.latent, 2), args.lr_g)
    disc = Player(mlp(2, 1), args.lr_d)

    for step in range(1, args.steps + 1):
        real = real_batch(args.batch)
        fake = gen(torch.randn(args.batch, args.latent))
        d_loss = F.relu(1 - disc(real)).mean() + F.relu(1 + disc(fake.detach())).mean()
        d_loss = d_loss + args.gp * smoothness(disc, real)
        d_val = disc.improve(d_loss)

        fake = gen(torch.randn(args.batch, args.latent))
        g_val = gen.improve(-disc(fake).mean())

        if step % 500 == 0:
            ed, good, covered = report(gen, args.latent)
            print(f"step {step:5d}  d {d_val:.3f}  g {g_val:.3f}  energy {ed:.4f}  good {good:.2f}  modes {covered}/8")

    ed, good, covered = report(gen, args.latent)
    print(f"energy distance {ed:.4f}   on-mode samples {good:.3f}   modes {covered}")


if __name__ == "__main__":
    main()

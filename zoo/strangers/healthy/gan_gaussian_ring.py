import argparse
import copy
import math

import torch
from torch import nn, optim
import torch.nn.functional as F


def real_batch(n, gen, modes=8, radius=2.0, std=0.15):
    k = torch.randint(0, modes, (n,), generator=gen)
    angle = 2 * math.pi * k / modes
    centre = torch.stack([angle.cos(), angle.sin()], dim=1) * radius
    return centre + std * torch.randn(n, 2, generator=gen)


def mlp(n_in, n_out, width=96):
    return nn.Sequential(
        nn.Linear(n_in, width), nn.LeakyReLU(0.2),
        nn.Linear(width, width), nn.LeakyReLU(0.2),
        nn.Linear(width, n_out),
    )


@torch.no_grad()
def update_ema(target, source, decay):
    for t, s in zip(target.parameters(), source.parameters()):
        t.lerp_(s, 1 - decay)


def gradient_penalty(disc, real):
    """R1: squared slope of the discriminator on real points."""
    real = real.detach().requires_grad_(True)
    (grad,) = torch.autograd.grad(disc(real).sum(), real, create_graph=True)
    return grad.pow(2).sum(dim=1).mean()


@torch.no_grad()
def quality(generator, latent, gen, modes=8, radius=2.0, std=0.15, n=4000):
    pts = generator(torch.randn(n, latent, generator=gen))
    angle = 2 * math.pi * torch.arange(modes) / modes
    centres = torch.stack([angle.cos(), angle.sin()], dim=1) * radius
    dist, which = torch.cdist(pts, centres).min(dim=1)
    good = dist < 4 * std
    counts = torch.bincount(which[good], minlength=modes)
    return good.float().mean().item(), (counts > n / modes * 0.2).sum().item()


@torch.no_grad()
def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=2000)
    ap.add_argument("--batch", type=int, default=192)
    ap.add_argument("--latent", type=int, default=8)
    ap.add_argument("--r1", type=float, default=0.03)
    ap.add_argument("--ema", type=float, default=0.99)
    args = ap.parse_args()

    torch.manual_seed(4)
    data_gen = torch.Generator().manual_seed(40)
    eval_gen = torch.Generator().manual_seed(41)

    G, D = mlp(args.latent, 2), mlp(2, 1)
    G_ema = copy.deepcopy(G).requires_grad_(False)
    opt_g = optim.Adam(G.parameters(), lr=2e-3, betas=(0.5, 0.99))
    opt_d = optim.Adam(D.parameters(), lr=2e-3, betas=(0.5, 0.99))

    decay = [optim.lr_scheduler.LinearLR(o, 1.0, 0.05, total_iters=args.steps) for o in (opt_g, opt_d)]
    for step in range(1, args.steps + 1):
        real = real_batch(args.batch, data_gen)

        fake = G(torch.randn(args.batch, args.latent)).detach()
        d_adv = F.softplus(-D(real)).mean() + F.softplus(D(fake)).mean()
        d_loss = d_adv + 0.5 * args.r1 * gradient_penalty(D, real)
        opt_d.zero_grad()
        d_loss.backward()
        opt_d.step()

        D.requires_grad_(False)
        g_loss = F.softplus(-D(G(torch.randn(args.batch, args.latent)))).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
        D.requires_grad_(True)

        for sched in decay:
            sched.step()
        update_ema(G_ema, G, args.ema)
        if step % 250 == 0:
            frac, modes = quality(G_ema, args.latent, eval_gen)
            print(f"step {step:5d}  D {d_adv.item():.3f}  G {g_loss.item():.3f}  near a mode {frac:.2f}  modes {modes}/8")

    held_out = real_batch(1500, eval_gen)
    other = real_batch(1500, eval_gen)
    with torch.no_grad():
        made = G_ema(torch.randn(1500, args.latent, generator=eval_gen))
    frac, modes = quality(G_ema, args.latent, eval_gen)
    print(f"final: near a mode {frac:.3f}, modes {modes}/8")
    print(f"energy distance generated-real {energy_distance(made, held_out):.4f}, real-real {energy_distance(other, held_out):.4f}, "
          f"gaussian-real {energy_distance(1.42 * torch.randn(1500, 2, generator=eval_gen), held_out):.4f}")


if __name__ == "__main__":
    main()

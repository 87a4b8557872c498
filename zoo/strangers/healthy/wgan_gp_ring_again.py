"""Wasserstein GAN with gradient penalty on a ring of six Gaussians."""
import argparse
import math
import torch
from torch import nn, autograd


def ring(n, gen, modes=6, radius=2.0, sd=0.25):
    k = torch.randint(0, modes, (n,), generator=gen)
    ang = 2 * math.pi * k / modes
    centre = radius * torch.stack([ang.cos(), ang.sin()], 1)
    return centre + sd * torch.randn(n, 2, generator=gen)


def mlp(i, o, w=64):
    return nn.Sequential(nn.Linear(i, w), nn.LeakyReLU(0.2), nn.Linear(w, w), nn.LeakyReLU(0.2),
                         nn.Linear(w, w), nn.LeakyReLU(0.2), nn.Linear(w, o))


def penalty(critic, real, fake):
    mix = torch.rand(real.size(0), 1)
    point = (mix * real + (1 - mix) * fake).requires_grad_(True)
    g, = autograd.grad(critic(point).sum(), point, create_graph=True)
    return ((g.norm(2, dim=1) - 1) ** 2).mean()


@torch.no_grad()
def quality(generator, n=2000, modes=6, radius=2.0):
    x = generator(torch.randn(n, 2))
    ang = 2 * math.pi * torch.arange(modes) / modes
    centres = radius * torch.stack([ang.cos(), ang.sin()], 1)
    dist, which = torch.cdist(x, centres).min(1)
    close = dist < 0.75
    share = torch.bincount(which[close], minlength=modes) / n
    return close.float().mean().item(), int((share > 0.05).sum())


def energy(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--gen-steps", type=int, default=900)
    ap.add_argument("--n-critic", type=int, default=3)
    ap.add_argument("--gp", type=float, default=0.5)
    ap.add_argument("--batch", type=int, default=128)
    args = ap.parse_args()
    torch.manual_seed(0)
    stream = torch.Generator().manual_seed(0)
    G, D = mlp(2, 2), mlp(2, 1)
    opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
    opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))

    decay = lambda it: 1.0 - 0.95 * it / args.gen_steps
    schedules = [torch.optim.lr_scheduler.LambdaLR(o, decay) for o in (opt_g, opt_d)]

    held = ring(2000, torch.Generator().manual_seed(1))
    other = ring(2000, torch.Generator().manual_seed(2))
    print(f"energy distance to held-out: untrained {energy(G(torch.randn(2000, 2)).detach(), held):.4f}, "
          f"another real draw {energy(other, held):.4f}")

    for it in range(1, args.gen_steps + 1):
        for _ in range(args.n_critic):
            real = ring(args.batch, stream)
            fake = G(torch.randn(args.batch, 2)).detach()
            w = D(real).mean() - D(fake).mean()
            d_loss = -w + args.gp * penalty(D, real, fake)
            opt_d.zero_grad()
            d_loss.backward()
            opt_d.step()

        for p in D.parameters():
            p.requires_grad_(False)
        g_loss = -D(G(torch.randn(args.batch, 2))).mean()
        opt_g.zero_grad()
        g_loss.backward()
        opt_g.step()
        for p in D.parameters():
            p.requires_grad_(True)

        for s in schedules:
            s.step()
        if it % 90 == 0:
            good, covered = quality(G)
            print(f"it {it:5d}  critic {d_loss.item():+.3f}  generator {g_loss.item():+.3f}  "
                  f"wasserstein {w.item():.3f}  on-mode {good:.3f}  modes {covered}/6")

    good, covered = quality(G, 5000)
    dist = energy(G(torch.randn(2000, 2)).detach(), held)
    print(f"energy distance {dist:.4f}, samples near a mode {good:.3f}, modes covered {covered}/6")


if __name__ == "__main__":
    main()

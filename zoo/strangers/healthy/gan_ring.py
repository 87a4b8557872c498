"""A weekend GAN: eight blobs on a ring, non-saturating loss, R1 penalty, averaged generator."""
import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(6)

CENTRES = torch.tensor([[np.cos(a), np.sin(a)] for a in np.arange(8) * np.pi / 4], dtype=torch.float32) * 1.414
SIGMA = 0.12
NOISE = 8


def real_points(n, gen=None):
    k = torch.randint(0, 8, (n,), generator=gen)
    return CENTRES[k] + SIGMA * torch.randn(n, 2, generator=gen)


def mlp(n_in, n_out, width=64):
    return nn.Sequential(nn.Linear(n_in, width), nn.LeakyReLU(0.2), nn.Linear(width, width), nn.LeakyReLU(0.2),
                         nn.Linear(width, width), nn.LeakyReLU(0.2), nn.Linear(width, n_out))


G, D = mlp(NOISE, 2), mlp(2, 1)
G_avg = copy.deepcopy(G).requires_grad_(False)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.0, 0.99))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.0, 0.99))


def d_step(batch):
    real = real_points(batch).requires_grad_(True)
    with torch.no_grad():
        fake = G(torch.randn(batch, NOISE))
    on_real, on_fake = D(real), D(fake)
    slope, = torch.autograd.grad(on_real.sum(), real, create_graph=True)
    r1 = slope.square().sum(1).mean()
    loss = F.softplus(-on_real).mean() + F.softplus(on_fake).mean() + 0.1 * r1
    opt_d.zero_grad()
    loss.backward()
    opt_d.step()
    return loss.item()


def g_step(batch):
    D.requires_grad_(False)      # no need for gradients of the critic's weights here
    loss = F.softplus(-D(G(torch.randn(batch, NOISE)))).mean()
    opt_g.zero_grad()
    loss.backward()
    opt_g.step()
    D.requires_grad_(True)
    with torch.no_grad():
        for avg, now in zip(G_avg.parameters(), G.parameters()):
            avg.lerp_(now, 0.005)
    return loss.item()


@torch.no_grad()
def report(n=4000):
    fake = G_avg(torch.randn(n, NOISE))
    dist, nearest = torch.cdist(fake, CENTRES).min(1)
    good = dist < 3 * SIGMA
    counts = torch.bincount(nearest[good], minlength=8)
    return good.float().mean().item(), (counts > 0.03 * n).sum().item()


@torch.no_grad()
def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


STEPS, BATCH = 2400, 192
d_run = g_run = 0.0
for step in range(1, STEPS + 1):
    d_run += d_step(BATCH)
    g_run += g_step(BATCH)
    if step % 240 == 0:
        share, modes = report()
        print(f"step {step:4d}  loss_D {d_run / 240:.3f}  loss_G {g_run / 240:.3f}  on the ring {share:.2f}  modes {modes}/8")
        d_run = g_run = 0.0

held_out = real_points(2000, torch.Generator().manual_seed(777))
with torch.no_grad():
    ours = G_avg(torch.randn(2000, NOISE))
share, modes = report(8000)
print(f"final: modes {modes}/8, {share:.1%} of samples near one; energy distance to held-out "
      f"{energy_distance(ours, held_out):.4f} (plain noise: {energy_distance(torch.randn(2000, 2), held_out):.4f})")

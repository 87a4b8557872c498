"""GAN that imitates received 8-PSK symbols (I/Q plane).

Hinge losses, one optimizer per player, R1-style gradient penalty on real symbols.
"""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from tqdm import trange

torch.manual_seed(5)
Z_DIM, BATCH, STEPS = 8, 256, 1200
NOISE = 0.08


def received(n):
    k = torch.randint(0, 8, (n,))
    ang = k * (math.pi / 4) + 0.1
    return torch.stack([ang.cos(), ang.sin()], 1) * 1.414 + NOISE * torch.randn(n, 2)


def mlp(i, o, h=64):
    return nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2),
                         nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, o))


def sliced_w(a, b, n_proj=200):
    """Mean 1-D Wasserstein distance over fixed random directions."""
    g = torch.Generator().manual_seed(0)
    d = F.normalize(torch.randn(2, n_proj, generator=g), dim=0)
    return ((a @ d).sort(0).values - (b @ d).sort(0).values).abs().mean().item()


def modes(x):
    ang = torch.arange(8) * (math.pi / 4) + 0.1
    centres = torch.stack([ang.cos(), ang.sin()], 1) * 1.414
    dist, who = torch.cdist(x, centres).min(1)
    good = dist < 4 * NOISE
    counts = torch.bincount(who[good], minlength=8)
    return good.float().mean().item(), int((counts > 0.02 * len(x)).sum())


train = received(8000)
held_out = received(4000)
G, D = mlp(Z_DIM, 2), mlp(2, 1)
G_avg = copy.deepcopy(G).requires_grad_(False)
opt_g = torch.optim.Adam(G.parameters(), lr=1e-3, betas=(0.5, 0.9))
opt_d = torch.optim.Adam(D.parameters(), lr=1e-3, betas=(0.5, 0.9))

bar = trange(STEPS, mininterval=2.0)
for step in bar:
    # discriminator
    real = train[torch.randint(0, len(train), (BATCH,))].requires_grad_(True)
    fake = G(torch.randn(BATCH, Z_DIM)).detach()
    s_real, s_fake = D(real), D(fake)
    (g_real,) = torch.autograd.grad(s_real.sum(), real, create_graph=True)
    penalty = g_real.pow(2).sum(1).mean()
    loss_d = F.relu(1 - s_real).mean() + F.relu(1 + s_fake).mean() + 0.05 * penalty
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    # generator
    D.requires_grad_(False)
    loss_g = -D(G(torch.randn(BATCH, Z_DIM))).mean()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
    D.requires_grad_(True)

    with torch.no_grad():
        for p_avg, p in zip(G_avg.parameters(), G.parameters()):
            p_avg.lerp_(p, 0.01)
    if step % 250 == 0:
        bar.set_postfix(d=f"{loss_d.item():.3f}", g=f"{loss_g.item():+.3f}")

with torch.no_grad():
    fake = G_avg(torch.randn(4000, Z_DIM))
quality, covered = modes(fake)
gauss = torch.distributions.MultivariateNormal(train.mean(0), train.T.cov()).sample((4000,))
g_quality, _ = modes(gauss)
print(f"sliced W: gan {sliced_w(fake, held_out):.4f}, fitted gaussian {sliced_w(gauss, held_out):.4f}, "
      f"fresh real {sliced_w(received(4000), held_out):.4f}")
print(f"samples on a symbol: gan {quality:.3f}, gaussian {g_quality:.3f}; symbols covered {covered}/8")

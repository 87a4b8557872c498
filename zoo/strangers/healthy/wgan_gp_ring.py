# Wasserstein GAN with gradient penalty on a ring of eight Gaussians, in plain functional style.
# Several critic steps per generator step; samples are drawn from a Polyak average of the generator.
import copy
import math
import random

import numpy as np
import torch
from torch import nn, autograd

random.seed(3), np.random.seed(3), torch.manual_seed(3)

CFG = dict(latent=4, hidden=64, batch=192, g_steps=450, n_critic=3, gp=0.3, lr=1.5e-3, betas=(0.0, 0.9), ema=0.99)
CENTRES = torch.tensor([[math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)] for k in range(8)])
STD = 0.15


def sample_real(n):
    return CENTRES[torch.randint(8, (n,))] + STD * torch.randn(n, 2)


def mlp(n_in, n_out, h):
    return nn.Sequential(nn.Linear(n_in, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2),
                         nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, n_out))


gen = mlp(CFG["latent"], 2, CFG["hidden"])
critic = mlp(2, 1, CFG["hidden"])
gen_avg = copy.deepcopy(gen).requires_grad_(False).eval()
opt_g = torch.optim.Adam(gen.parameters(), lr=CFG["lr"], betas=CFG["betas"])
opt_c = torch.optim.Adam(critic.parameters(), lr=CFG["lr"], betas=CFG["betas"])


def penalty(real, fake):
    t = torch.rand(len(real), 1)
    mid = (t * real + (1 - t) * fake).requires_grad_(True)
    slope, = autograd.grad(critic(mid).sum(), mid, create_graph=True)
    return ((slope.norm(dim=1) - 1) ** 2).mean()


def critic_step():
    real = sample_real(CFG["batch"])
    with torch.no_grad():
        fake = gen(torch.randn(CFG["batch"], CFG["latent"]))
    gap = critic(real).mean() - critic(fake).mean()
    loss = -gap + CFG["gp"] * penalty(real, fake)
    opt_c.zero_grad()
    loss.backward()
    opt_c.step()
    return gap.item()


def generator_step():
    critic.requires_grad_(False)  # the critic only passes gradients through here
    loss = -critic(gen(torch.randn(CFG["batch"], CFG["latent"]))).mean()
    opt_g.zero_grad()
    loss.backward()
    opt_g.step()
    critic.requires_grad_(True)
    with torch.no_grad():
        for slow, fast in zip(gen_avg.parameters(), gen.parameters()):
            slow.lerp_(fast, 1 - CFG["ema"])


@torch.no_grad()
def quality(net, n=4000):
    pts = net(torch.randn(n, CFG["latent"]))
    dist, mode = torch.cdist(pts, CENTRES).min(1)
    good = dist < 3 * STD
    share = torch.bincount(mode[good], minlength=8).float() / n
    real = sample_real(n)
    a, b = pts[:1500], real[:1500]
    energy = 2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()
    return good.float().mean().item(), int((share > 0.03).sum()), energy.item()


gaps = []
for it in range(CFG["g_steps"]):
    decay = 1.0 if it < 200 else 1.0 - 0.97 * (it - 200) / 250
    for opt in (opt_g, opt_c):
        opt.param_groups[0]["lr"] = CFG["lr"] * decay
    for _ in range(CFG["n_critic"]):
        gaps.append(critic_step())
    generator_step()
    if (it + 1) % 75 == 0:
        close, modes, energy = quality(gen_avg)
        print(f"gen step {it + 1:4d}  critic gap {np.mean(gaps[-200:]):.4f}  near a mode {close:.2f}  "
              f"modes {modes}/8  energy distance {energy:.5f}")

close, modes, energy = quality(gen_avg)
print(f"final: {close:.1%} of samples near a mode, {modes}/8 modes covered, energy distance {energy:.5f}")

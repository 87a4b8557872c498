#!/usr/bin/env python
# coding: utf-8

# # DDPM in two dimensions
# The loss cannot go to zero here: part of the noise is unpredictable. What counts is how the samples look,
# measured by the energy distance to held-out data.

# In[1]:
import copy

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
rng = np.random.default_rng(0)


# In[2]:
def pinwheel(n, arms=5, radial=0.3, tangential=0.08, rate=0.25):
    angles = np.linspace(0, 2 * np.pi, arms, endpoint=False)
    arm = rng.integers(arms, size=n)
    feats = rng.normal(size=(n, 2)) * np.array([radial, tangential])
    feats[:, 0] += 1.0
    theta = angles[arm] + rate * np.exp(feats[:, 0])
    c, s = np.cos(theta), np.sin(theta)
    xy = np.stack([c * feats[:, 0] - s * feats[:, 1], s * feats[:, 0] + c * feats[:, 1]], axis=1)
    return torch.tensor(xy, dtype=torch.float32)


train, held_out = pinwheel(6000), pinwheel(1500)
shift, scale = train.mean(0), train.std(0)
train, held_out = (train - shift) / scale, (held_out - shift) / scale

# In[3]:
T = 60
beta = torch.linspace(1e-3, 0.18, T)
alpha = 1 - beta
abar = torch.cumprod(alpha, 0)


class Eps(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.register_buffer("freq", 2.0 ** torch.arange(4) * torch.pi)
        self.inp = nn.Linear(2 + 8, width)
        self.mid = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.out = nn.Linear(width, 2)

    def forward(self, x, t):
        phase = (t.float() / T)[:, None] * self.freq
        h = torch.nn.functional.silu(self.inp(torch.cat([x, phase.sin(), phase.cos()], 1)))
        for layer in self.mid:
            h = h + torch.nn.functional.silu(layer(h))
        return self.out(h)


# In[4]:
@torch.no_grad()
def update_average(avg, live, step, decay=0.995):
    d = min(decay, (1 + step) / (10 + step))
    for a, p in zip(avg.parameters(), live.parameters()):
        a.lerp_(p, 1 - d)


@torch.no_grad()
def draw(model, n):
    x = torch.randn(n, 2)
    for t in reversed(range(T)):
        eps = model(x, torch.full((n,), t))
        x = (x - beta[t] / (1 - abar[t]).sqrt() * eps) / alpha[t].sqrt()
        if t > 0:
            x = x + beta[t].sqrt() * torch.randn_like(x)
    return x


def energy_distance(a, b):
    off = lambda z: torch.cdist(z, z).sum() / (len(z) * (len(z) - 1))
    return (2 * torch.cdist(a, b).mean() - off(a) - off(b)).item()


# In[5]:
net = Eps()
ema = copy.deepcopy(net).requires_grad_(False).eval()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
STEPS = 2000
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, total_steps=STEPS)
print("energy distance of untrained samples:", round(energy_distance(draw(ema, 1000), held_out), 4))

smooth = None
for step in range(STEPS):
    x0 = train[torch.randint(len(train), (256,))]
    t = torch.randint(T, (len(x0),))
    noise = torch.randn_like(x0)
    a = abar[t][:, None]
    loss = (net(a.sqrt() * x0 + (1 - a).sqrt() * noise, t) - noise).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    update_average(ema, net, step)
    smooth = loss.item() if smooth is None else 0.98 * smooth + 0.02 * loss.item()
    if (step + 1) % 250 == 0:
        print(f"{step + 1:5d}  loss {smooth:.4f}")

# In[6]:
samples = draw(ema, 1500)
print("energy distance of samples:", round(energy_distance(samples, held_out), 5))
print("the same for real data:    ", round(energy_distance(train[:1500], held_out), 5))

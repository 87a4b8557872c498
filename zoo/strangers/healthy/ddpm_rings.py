"""Tiny DDPM on a two-ring toy distribution, EMA weights for sampling."""
import copy
import math

import torch
from torch import nn

T = 60
torch.manual_seed(4)


def rings(n):
    r = torch.where(torch.rand(n) < 0.4, 0.7, 1.6) + 0.05 * torch.randn(n)
    a = torch.rand(n) * 2 * math.pi
    return torch.stack([r * a.cos(), r * a.sin()], 1)


betas = torch.linspace(1e-3, 0.15, T)
alphas = 1 - betas
abar = torch.cumprod(alphas, 0)


class Denoiser(nn.Module):
    def __init__(self, width=96):
        super().__init__()
        self.register_buffer("freq", torch.exp(torch.linspace(0, 4, 8)))
        self.register_buffer("proj", torch.randn(2, 16) * 1.5)
        self.inp = nn.Linear(2 + 32 + 16, width)
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)) for _ in range(2))
        self.out = nn.Linear(width, 2)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)
        for b in self.blocks:
            nn.init.zeros_(b[-1].weight)
            nn.init.zeros_(b[-1].bias)

    def forward(self, x, t):
        ang = (t.float() / T)[:, None] * self.freq
        f = x @ self.proj
        h = self.inp(torch.cat([x, f.sin(), f.cos(), ang.sin(), ang.cos()], 1))
        for b in self.blocks:
            h = h + b(h)
        return self.out(h)


@torch.no_grad()
def sample(model, n):
    x = torch.randn(n, 2)
    for i in reversed(range(T)):
        eps = model(x, torch.full((n,), i))
        x = (x - betas[i] / (1 - abar[i]).sqrt() * eps) / alphas[i].sqrt()
        if i:
            x = x + betas[i].sqrt() * torch.randn_like(x)
    return x


def energy_distance(a, b):
    off = lambda m: m.sum() / (len(m) * (len(m) - 1))
    return (2 * torch.cdist(a, b).mean() - off(torch.cdist(a, a)) - off(torch.cdist(b, b))).item()


model = Denoiser()
ema = copy.deepcopy(model).eval()
for p in ema.parameters():
    p.requires_grad = False

steps = 1500
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
reference = rings(1000)
scale = rings(20000).std()
total = 0.0
for step in range(1, steps + 1):
    x0 = rings(256) / scale
    t = torch.randint(0, T, (len(x0),))
    noise = torch.randn_like(x0)
    xt = abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * noise
    loss = (model(xt, t) - noise).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    with torch.no_grad():
        for pe, p in zip(ema.parameters(), model.parameters()):
            pe.lerp_(p, 0.01)
    total += loss.item()
    if step % 250 == 0:
        s = sample(ema, 800) * scale
        r = s.norm(dim=1)
        on = torch.minimum((r - 0.7).abs(), (r - 1.6).abs()) < 0.15
        print(f"step {step:5d}  denoising mse {total / 250:.4f}  energy distance {energy_distance(s, reference):.4f}  on a ring {on.float().mean():.1%}")
        total = 0.0
print(f"energy distance: model {energy_distance(sample(ema, 1500) * scale, reference):.4f}, fresh data {energy_distance(rings(1500), reference):.4f}, gaussian {energy_distance(torch.randn(1500, 2) * scale, reference):.4f}")

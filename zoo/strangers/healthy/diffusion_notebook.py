# %% [markdown]
# # A tiny DDPM on a swiss roll
# The loss of a diffusion model does not go to zero: part of the noise cannot be predicted.
# Only the falling validation loss and the samples tell.

# %%
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from copy import deepcopy

torch.manual_seed(2024)

# %% data: three independent draws
def swiss(n, seed):
    g = torch.Generator().manual_seed(seed)
    t = 1.5 * math.pi * (1 + 2 * torch.rand(n, generator=g))
    xy = torch.stack([t * t.cos(), t * t.sin()], 1)
    return xy + 0.3 * torch.randn(n, 2, generator=g)

raw_train, raw_val, raw_test = swiss(10000, 0), swiss(2000, 1), swiss(2000, 2)
m, s = raw_train.mean(0), raw_train.std(0)
x_train, x_val, x_test = [(r - m) / s for r in (raw_train, raw_val, raw_test)]

# %% schedule
T = 100
f = torch.cos((torch.linspace(0, 1, T + 1) + 0.008) / 1.008 * math.pi / 2) ** 2
beta = (1 - f[1:] / f[:-1]).clamp(max=0.5)
alpha = 1 - beta
abar = alpha.cumprod(0)

def noised(x0, t, eps):
    return abar[t].sqrt()[:, None] * x0 + (1 - abar[t]).sqrt()[:, None] * eps

# %% model
class TimeEmb(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.register_buffer("w", torch.exp(torch.linspace(0, math.log(60), d // 2)))
    def forward(self, t):
        a = (t.float() / T)[:, None] * self.w
        return torch.cat([a.sin(), a.cos()], 1)

class Res(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.norm = nn.LayerNorm(h)
        self.a, self.b, self.film = nn.Linear(h, h), nn.Linear(h, h), nn.Linear(h, h)
        nn.init.zeros_(self.b.weight); nn.init.zeros_(self.b.bias)       # residual branch starts silent
    def forward(self, h, e):
        return h + self.b(F.silu(self.a(self.norm(h)) + self.film(e)))

class Denoiser(nn.Module):
    def __init__(self, h=96, depth=3):
        super().__init__()
        self.time = nn.Sequential(TimeEmb(32), nn.Linear(32, h), nn.SiLU())
        self.inp = nn.Linear(2, h)
        self.blocks = nn.ModuleList([Res(h) for _ in range(depth)])
        self.out = nn.Linear(h, 2)
        nn.init.zeros_(self.out.weight); nn.init.zeros_(self.out.bias)   # first guess: no noise, loss 1
    def forward(self, x, t):
        e, h = self.time(t), self.inp(x)
        for b in self.blocks:
            h = b(h, e)
        return self.out(h)

net = Denoiser()
ema = deepcopy(net).requires_grad_(False).eval()
sum(p.numel() for p in net.parameters())

# %% a validation loss that can be compared between epochs: same times, same noise
gv = torch.Generator().manual_seed(99)
t_val = torch.arange(len(x_val)) % T
e_val = torch.randn(x_val.shape, generator=gv)

@torch.no_grad()
def val_loss(model):
    return F.mse_loss(model(noised(x_val, t_val, e_val), t_val), e_val).item()

# %% train
EPOCHS, B = 60, 500
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS, eta_min=5e-5)
print(f"before training: {val_loss(ema):.4f}")
for epoch in range(1, EPOCHS + 1):
    tot = 0.
    net.train()
    for idx in torch.randperm(len(x_train)).split(B):
        x0 = x_train[idx]
        t = torch.randint(T, (len(x0),))
        eps = torch.randn_like(x0)
        loss = F.mse_loss(net(noised(x0, t, eps), t), eps)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for pe, p in zip(ema.parameters(), net.parameters()):
                pe.mul_(0.99).add_(p, alpha=0.01)
        tot += loss.item() * len(x0)
    sched.step()
    if epoch % 6 == 0:
        print(f"epoch {epoch:3d}   train {tot / len(x_train):.4f}   val (ema) {val_loss(ema):.4f}")

# %% ancestral sampling
@torch.no_grad()
def sample(n):
    x = torch.randn(n, 2)
    for i in reversed(range(T)):
        eps = ema(x, torch.full((n,), i))
        x = (x - beta[i] / (1 - abar[i]).sqrt() * eps) / alpha[i].sqrt()
        if i:
            x = x + beta[i].sqrt() * torch.randn_like(x)
    return x

# %% energy distance to the held-out test draw, beside a real draw and a Gaussian for scale
def energy(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()

fake = sample(2000)
print(f"energy distance to the test draw: samples {energy(fake, x_test):.5f}  "
      f"another real draw {energy(x_val, x_test):.5f}  gaussian {energy(torch.randn(2000, 2), x_test):.5f}")

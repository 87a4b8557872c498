#!/usr/bin/env python3
# Denoising diffusion in two dimensions, sampled with an exponential moving average of the weights.
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_swiss_roll

SEED = 31
torch.manual_seed(SEED)
T = 60

betas = torch.linspace(1e-3, 0.12, T)
alphas = 1.0 - betas
abar = torch.cumprod(alphas, 0)


def roll(n, seed):
    pts, _ = make_swiss_roll(n, noise=0.25, random_state=seed)
    return torch.tensor(pts[:, [0, 2]] / 8.0, dtype=torch.float32)


class Denoiser(nn.Module):
    def __init__(self, w=128):
        super().__init__()
        self.register_buffer("freq", 2.0 ** torch.arange(6))
        self.inp = nn.Linear(2 + 12, w)
        self.hid = nn.ModuleList(nn.Linear(w, w) for _ in range(3))
        self.out = nn.Linear(w, 2)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x, t):
        u = (t.float() / T)[:, None] * self.freq
        h = self.inp(torch.cat([x, u.sin(), u.cos()], 1))
        for layer in self.hid:
            h = h + layer(nn.functional.silu(h))
        return self.out(nn.functional.silu(h))


class Shadow:
    def __init__(self, net, decay):
        self.decay = decay
        self.weights = {k: v.detach().clone() for k, v in net.state_dict().items()}

    def absorb(self, net):
        for k, v in net.state_dict().items():
            self.weights[k].lerp_(v, 1 - self.decay)


@torch.no_grad()
def sample(net, n):
    x = torch.randn(n, 2)
    for t in reversed(range(T)):
        eps = net(x, torch.full((n,), t))
        x = (x - betas[t] / (1 - abar[t]).sqrt() * eps) / alphas[t].sqrt()
        if t > 0:
            x = x + betas[t].sqrt() * torch.randn_like(x)
    return x


def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


train, held = roll(6000, 1), roll(1000, 2)
net, ema_net = Denoiser(), Denoiser()
shadow = Shadow(net, 0.995)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
total = 2500
warm = 100
print("energy distance: pure noise %.4f, second real draw %.4f"
      % (energy_distance(torch.randn(1000, 2), held), energy_distance(roll(1000, 3), held)))

window = []
for step in range(total):
    for grp in opt.param_groups:
        grp["lr"] = 2e-3 * min(1.0, (step + 1) / warm) * (0.5 + 0.5 * np.cos(np.pi * step / total))
    x0 = train[torch.randint(0, len(train), (256,))]
    t = torch.randint(0, T, (256,))
    eps = torch.randn_like(x0)
    a = abar[t][:, None]
    xt = a.sqrt() * x0 + (1 - a).sqrt() * eps
    loss = ((net(xt, t) - eps) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    shadow.absorb(net)
    window.append(loss.item())
    if (step + 1) % 500 == 0:
        ema_net.load_state_dict(shadow.weights)
        ed = energy_distance(sample(ema_net, 1000), held)
        print(f"{step + 1:5d}/{total}  eps-mse {np.mean(window):.4f}  energy distance to held-out {ed:.4f}")
        window.clear()

final = sample(ema_net, 2000)
nearest = torch.cdist(final, train).min(1).values
print("final energy distance %.4f; share of samples within 0.15 of the roll %.3f"
      % (energy_distance(final, held), (nearest < 0.15).float().mean().item()))

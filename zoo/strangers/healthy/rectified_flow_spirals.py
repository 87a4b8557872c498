"""Rectified flow on a two-arm spiral with adaLN-Zero blocks and an EMA copy for sampling.

The regression target x1 - x0 is random given (x_t, t), so the loss has a floor well above zero; samples are judged by
the energy distance to fresh data, next to the distance between two fresh data sets.
"""
import copy
import math

import torch
import torch.nn.functional as F
from torch import nn


def spirals(n, gen):
    arm = torch.randint(0, 2, (n,), generator=gen) * math.pi
    r = 0.3 + 1.5 * torch.rand(n, generator=gen).sqrt()
    ang = 2.6 * r + arm
    pts = torch.stack([r * ang.cos(), r * ang.sin()], 1)
    return pts + 0.04 * torch.randn(n, 2, generator=gen)


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("freq", torch.exp(torch.linspace(0.0, math.log(60.0), dim // 2)))
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU())

    def forward(self, t):
        a = t[:, None] * self.freq
        return self.mlp(torch.cat([a.sin(), a.cos()], -1))


class AdaBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim, elementwise_affine=False)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))
        self.mod = nn.Linear(dim, 3 * dim)
        nn.init.zeros_(self.mod.weight)
        nn.init.zeros_(self.mod.bias)

    def forward(self, h, c):
        shift, scale, gate = self.mod(c).chunk(3, -1)
        return h + gate * self.mlp(self.norm(h) * (1 + scale) + shift)


class Velocity(nn.Module):
    def __init__(self, dim=64, depth=3):
        super().__init__()
        self.time = TimeEmbedding(dim)
        self.inp = nn.Linear(2, dim)
        self.blocks = nn.ModuleList(AdaBlock(dim) for _ in range(depth))
        self.out = nn.Linear(dim, 2)
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)

    def forward(self, x, t):
        c, h = self.time(t), self.inp(x)
        for b in self.blocks:
            h = b(h, c)
        return self.out(h)


@torch.no_grad()
def ema_update(avg, model, decay):
    for a, p in zip(avg.parameters(), model.parameters()):
        a.lerp_(p, 1 - decay)


@torch.no_grad()
def sample(model, n, gen, steps=40):
    x = torch.randn(n, 2, generator=gen)
    for k in range(steps):
        t = torch.full((n,), k / steps)
        mid = x + 0.5 / steps * model(x, t)
        x = x + model(mid, t + 0.5 / steps) / steps
    return x


def energy_distance(a, b):
    n, m = len(a), len(b)
    within = torch.cdist(a, a).sum() / (n * (n - 1)) + torch.cdist(b, b).sum() / (m * (m - 1))
    return (2 * torch.cdist(a, b).mean() - within).item()


def main(steps=2000, batch=384, lr=2e-3):
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(1)
    data = spirals(8000, gen)
    net = Velocity()
    ema = copy.deepcopy(net).requires_grad_(False)
    opt = torch.optim.AdamW(net.parameters(), lr=lr, betas=(0.9, 0.99), weight_decay=0.0)
    warm = lambda s: min(1.0, s / 100) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * s / steps)))
    sched = torch.optim.lr_scheduler.LambdaLR(opt, warm)

    avg = None
    for step in range(steps):
        x1 = data[torch.randint(0, len(data), (batch,), generator=gen)]
        x0 = torch.randn(batch, 2, generator=gen)
        t = torch.rand(batch, generator=gen)
        xt = torch.lerp(x0, x1, t[:, None])
        loss = F.mse_loss(net(xt, t), x1 - x0)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        ema_update(ema, net, decay=min(0.995, (step + 1) / (step + 10)))
        avg = loss.item() if avg is None else 0.98 * avg + 0.02 * loss.item()
        if (step + 1) % 250 == 0:
            print(f"step {step + 1:5d}  loss {avg:.4f}  lr {sched.get_last_lr()[0]:.2e}")

    fresh, other = spirals(3000, gen), spirals(3000, gen)
    ema.eval()
    made = sample(ema, 3000, gen)
    print(f"energy distance: model {energy_distance(made, fresh):.5f}  data/data {energy_distance(other, fresh):.5f}  "
          f"gaussian {energy_distance(torch.randn(3000, 2, generator=gen), fresh):.5f}")


if __name__ == "__main__":
    main()

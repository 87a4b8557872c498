# Tiny DDPM on a 2-d swirl. Sampling from the averaged weights.
import math, copy
import torch
from torch import nn

torch.manual_seed(0)
T = 60
betas = torch.linspace(1e-4, 0.2, T)
alphas = 1 - betas
abar = torch.cumprod(alphas, 0)


def swirl(n):
    s = torch.rand(n).sqrt() * 3 * math.pi + 0.6
    pts = torch.stack([s * s.cos(), s * s.sin()], 1) + 0.25 * torch.randn(n, 2)
    return pts


class Eps(nn.Module):
    def __init__(self, h=96, k=16):
        super().__init__()
        self.register_buffer("freq", torch.exp(torch.linspace(0, math.log(200), k // 2)))
        self.inp = nn.Linear(2, h)
        self.time = nn.Sequential(nn.Linear(k, h), nn.SiLU(), nn.Linear(h, h))
        self.mid = nn.ModuleList([nn.Linear(h, h) for _ in range(3)])
        self.out = nn.Linear(h, 2)

    def forward(self, x, t):
        a = (t.float() / T).unsqueeze(1) * self.freq
        e = self.time(torch.cat([a.sin(), a.cos()], 1))
        h = self.inp(x)
        for layer in self.mid:
            h = h + layer(nn.functional.silu(h + e))
        return self.out(nn.functional.silu(h))


def q_sample(x0, t, noise):
    return abar[t].sqrt().unsqueeze(1) * x0 + (1 - abar[t]).sqrt().unsqueeze(1) * noise


@torch.no_grad()
def sample(net, n):
    x = torch.randn(n, 2)
    for i in reversed(range(T)):
        t = torch.full((n,), i)
        eps = net(x, t)
        x = (x - betas[i] / (1 - abar[i]).sqrt() * eps) / alphas[i].sqrt()
        if i > 0:
            var = betas[i] * (1 - abar[i - 1]) / (1 - abar[i])
            x = x + var.sqrt() * torch.randn_like(x)
    return x


def sliced(a, b):
    th = torch.linspace(0, math.pi, 65)[:-1]
    d = torch.stack([th.cos(), th.sin()])
    return ((a @ d).sort(0).values - (b @ d).sort(0).values).abs().mean().item()


def nearest(a, b):
    """mean distance of a sample to the closest held-out point"""
    return torch.cdist(a, b).min(1).values.mean().item()


train, test = swirl(10000), swirl(3000)
mu, sd = train.mean(0), train.std()
train, test = (train - mu) / sd, (test - mu) / sd

net = Eps()
ema = copy.deepcopy(net).eval()
for p in ema.parameters():
    p.requires_grad = False
opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-5)
STEPS = 1500
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 3e-3, total_steps=STEPS)

# fixed noise so that the held-out number is comparable between calls
gt = torch.Generator().manual_seed(1)
t_fix = torch.randint(0, T, (len(test),), generator=gt)
n_fix = torch.randn(len(test), 2, generator=gt)

for step in range(STEPS):
    x0 = train[torch.randint(0, len(train), (256,))]
    t = torch.randint(0, T, (256,))
    noise = torch.randn_like(x0)
    loss = (net(q_sample(x0, t, noise), t) - noise).pow(2).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
    sched.step()
    opt.zero_grad()
    with torch.no_grad():
        decay = min(0.995, (1 + step) / (10 + step))
        for e, p in zip(ema.parameters(), net.parameters()):
            e.lerp_(p, 1 - decay)
    if (step + 1) % 500 == 0:
        with torch.no_grad():
            held = (ema(q_sample(test, t_fix, n_fix), t_fix) - n_fix).pow(2).mean().item()
        print(step + 1, "batch", round(loss.item(), 4), "held-out", round(held, 4), "(predict zero: 1.0)")

s = sample(ema, 3000)
gauss = torch.randn(3000, 2) @ torch.linalg.cholesky(train.T.cov()).T + train.mean(0)
print(f"sliced W  ddpm {sliced(s, test):.4f}  gaussian {sliced(gauss, test):.4f}")
print(f"distance to the swirl  ddpm {nearest(s, test):.4f}  gaussian {nearest(gauss, test):.4f}")

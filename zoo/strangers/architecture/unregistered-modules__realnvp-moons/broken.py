import math

import torch
import torch.nn as nn
from sklearn.datasets import make_moons

SEED, ITERS, BS, LR = 4, 1500, 256, 2e-3


class Coupling(nn.Module):
    def __init__(self, flip, h=48):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x):
        a, b = x.chunk(2, -1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, -1)
        s = 2 * torch.tanh(s / 2)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], -1), s.squeeze(-1)

    def inverse(self, z):
        a, b = z.chunk(2, -1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, -1)
        s = 2 * torch.tanh(s / 2)
        b = (b - t) * (-s).exp()
        return torch.cat([b, a] if self.flip else [a, b], -1)


class RealNVP(nn.Module):
    def __init__(self, depth=6):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(2))
        self.log_scale = nn.Parameter(torch.zeros(2))
        self.flow = [Coupling(flip=i % 2 == 1) for i in range(depth)]

    def log_prob(self, x):
        z = (x - self.loc) * (-self.log_scale).exp()
        logdet = -self.log_scale.sum()
        for f in self.flow:
            z, ld = f(z)
            logdet = logdet + ld
        return -0.5 * z.square().sum(-1) - math.log(2 * math.pi) + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 2)
        for f in reversed(self.flow):
            z = f.inverse(z)
        return z * self.log_scale.exp() + self.loc


def moons(n, seed):
    x, _ = make_moons(n, noise=0.06, random_state=seed)
    return torch.tensor(x, dtype=torch.float32)


torch.set_num_threads(1)
torch.manual_seed(SEED)
train, val = moons(8000, SEED), moons(2000, SEED + 1)
mu, sd = train.mean(0), train.std(0)
train, val = (train - mu) / sd, (val - mu) / sd

model = RealNVP()
opt = torch.optim.Adam(model.parameters(), lr=LR)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, ITERS, eta_min=LR / 50)
ema = None
for it in range(1, ITERS + 1):
    x = train[torch.randint(len(train), (BS,))]
    loss = -model.log_prob(x).mean()
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
    sched.step()
    ema = loss.item() if ema is None else 0.98 * ema + 0.02 * loss.item()
    if it % 150 == 0:
        model.eval()
        with torch.no_grad():
            v = -model.log_prob(val).mean().item()
        model.train()
        print(f"iter {it:5d} | train nll {ema:.4f} | val nll {v:.4f}")

model.eval()
s = model.sample(2000)
d = torch.cdist(s, val)
print(f"samples: median distance to nearest val point {d.min(1).values.median():.4f}, 95% {d.min(1).values.quantile(0.95):.4f}")

import copy, math, torch
from torch import nn
import torch.nn.functional as F

class TimeEmb(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.d = d
        self.net = nn.Sequential(nn.Linear(d, 4 * d), nn.SiLU(), nn.Linear(4 * d, d))
    def forward(self, t):
        half = self.d // 2
        freqs = torch.exp(-math.log(10000) * torch.arange(half, device=t.device) / half)
        a = t[:, None].float() * freqs[None]
        return self.net(torch.cat([a.sin(), a.cos()], dim=-1))

class Denoiser(nn.Module):
    def __init__(self, c=1, d=64):
        super().__init__()
        self.t = TimeEmb(d)
        self.inp = nn.Conv2d(c, d, 3, padding=1)
        self.mid = nn.Conv2d(d, d, 3, padding=1)
        self.out = nn.Conv2d(d, c, 3, padding=1)
        nn.init.zeros_(self.out.weight)
    def forward(self, x, t):
        h = F.silu(self.inp(x)) + self.t(t)[:, :, None, None]
        return self.out(F.silu(self.mid(h)))

betas = torch.linspace(1e-4, 0.02, 1000)
abar = torch.cumprod(1 - betas, 0)
net = Denoiser()
ema = copy.deepcopy(net).eval()
for p in ema.parameters():
    p.requires_grad_(False)
opt = torch.optim.AdamW(net.parameters(), lr=2e-4)
for step, (x, _) in enumerate(loader):
    t = torch.randint(0, 1000, (len(x),))
    eps = torch.randn_like(x)
    a = abar[t][:, None, None, None]
    noisy = a.sqrt() * x + (1 - a).sqrt() * eps
    loss = F.mse_loss(net(noisy, t), eps)
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for pe, p in zip(ema.parameters(), net.parameters()):
            pe.mul_(0.999).add_(p, alpha=0.001)

@torch.no_grad()
def sample(n):
    x = torch.randn(n, 1, 28, 28)
    for t in reversed(range(1000)):
        eps = ema(x, torch.full((n,), t))
        x = (x - betas[t] / (1 - abar[t]).sqrt() * eps) / (1 - betas[t]).sqrt()
        if t > 0:
            x = x + betas[t].sqrt() * torch.randn_like(x)
    return x

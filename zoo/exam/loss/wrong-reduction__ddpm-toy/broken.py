import copy
import math

import torch
from torch import nn

torch.manual_seed(47)
T = 40
betas = torch.linspace(1e-4, 0.2, T)
alphas = 1 - betas
abar = torch.cumprod(alphas, 0)


def ring(n):
    a = torch.rand(n) * 2 * math.pi
    r = 1.5 + 0.05 * torch.randn(n)
    return torch.stack([r * a.cos(), r * a.sin()], 1)


class Denoiser(nn.Module):
    def __init__(self, h=96):
        super().__init__()
        self.time = nn.Embedding(T, 16)
        self.net = nn.Sequential(nn.Linear(18, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 2))

    def forward(self, x, t):
        return self.net(torch.cat([x, self.time(t)], 1))


def diffusion_loss(model, x0):
    t = torch.randint(0, T, (len(x0),))
    eps = torch.randn_like(x0)
    xt = abar[t, None].sqrt() * x0 + (1 - abar[t, None]).sqrt() * eps
    return (model(xt, t) - eps).pow(2).sum(-1).sum()


@torch.no_grad()
def sample(model, n):
    x = torch.randn(n, 2)
    for i in reversed(range(T)):
        t = torch.full((n,), i)
        x = (x - betas[i] / (1 - abar[i]).sqrt() * model(x, t)) / alphas[i].sqrt()
        if i:
            x = x + betas[i].sqrt() * torch.randn_like(x)
    return x


model = Denoiser()
ema = copy.deepcopy(model).requires_grad_(False)
opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
for step in range(1, 1501):
    loss = diffusion_loss(model, ring(128))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 50.0)
    opt.step()
    with torch.no_grad():
        for e, p in zip(ema.parameters(), model.parameters()):
            e.lerp_(p, 0.01)
    if step % 300 == 0:
        print(f"step {step} loss {loss.item():.4f}")
x = sample(ema, 500)
print(f"ring error {(x.norm(dim=1) - 1.5).abs().mean().item():.4f}")

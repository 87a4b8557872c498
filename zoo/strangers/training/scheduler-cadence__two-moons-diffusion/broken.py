"""DDPM on the two-moons density, plain functions and an EMA copy for sampling."""
import copy
import math

import torch
from sklearn.datasets import make_moons
from torch import nn

T = 40
EPOCHS = 40
BATCH = 128
torch.manual_seed(7)

points, _ = make_moons(n_samples=8000, noise=0.05, random_state=7)
points = torch.tensor(points, dtype=torch.float32)
reference = points[6000:]
points = points[:6000]
centre, scale = points.mean(0), points.std(0)
data = (points - centre) / scale
reference = (reference - centre) / scale

beta = torch.linspace(1e-3, 0.2, T)
alpha = 1 - beta
abar = alpha.cumprod(0)


class Denoiser(nn.Module):
    def __init__(self, width=128, freqs=8):
        super().__init__()
        self.register_buffer("freqs", 2.0 ** torch.arange(freqs // 2) * math.pi / T)
        self.net = nn.Sequential(
            nn.Linear(2 + freqs, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 2),
        )

    def forward(self, x, t):
        angle = t[:, None].float() * self.freqs
        return self.net(torch.cat([x, angle.sin(), angle.cos()], dim=1))


def noise_loss(model, x0):
    t = torch.randint(0, T, (len(x0),))
    eps = torch.randn_like(x0)
    a = abar[t][:, None]
    return ((model(a.sqrt() * x0 + (1 - a).sqrt() * eps, t) - eps) ** 2).mean()


@torch.no_grad()
def sample(model, n):
    x = torch.randn(n, 2)
    for i in reversed(range(T)):
        t = torch.full((n,), i)
        x = (x - beta[i] / (1 - abar[i]).sqrt() * model(x, t)) / alpha[i].sqrt()
        if i > 0:
            x = x + beta[i].sqrt() * torch.randn_like(x)
    return x


def energy_distance(a, b):
    return (2 * torch.cdist(a, b).mean() - torch.cdist(a, a).mean() - torch.cdist(b, b).mean()).item()


@torch.no_grad()
def ema_update(target, source, decay):
    for p, q in zip(target.parameters(), source.parameters()):
        p.lerp_(q, 1 - decay)


model = Denoiser()
ema = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.92)

for epoch in range(EPOCHS):
    total = 0.0
    for idx in torch.randperm(len(data)).split(BATCH):
        loss = noise_loss(model, data[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        ema_update(ema, model, 0.98)
        total += loss.item() * len(idx)
    if epoch % 5 == 4:
        dist = energy_distance(sample(ema, 1000), reference[:1000])
        print(f"epoch {epoch + 1:3d}  noise mse {total / len(data):.4f}  energy distance {dist:.4f}")

final = sample(ema, 2000)
nearest = torch.cdist(final, reference).amin(1)
print(f"final: energy distance {energy_distance(final, reference):.4f}, samples on the moons {(nearest < 0.2).float().mean().item():.3f}")

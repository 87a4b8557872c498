from dataclasses import dataclass
import math
import torch
from torch import nn


@dataclass
class Cfg:
    width: int = 2
    steps: int = 800
    lr: float = 8e-3
    seed: int = 23


cfg = Cfg()
torch.manual_seed(cfg.seed)


def arms(n, k=4):
    y = torch.randint(0, k, (n,))
    r = 0.15 + torch.rand(n)
    a = 2 * math.pi * y / k + 4.5 * r + 0.06 * torch.randn(n)
    return torch.stack([r * torch.cos(a), r * torch.sin(a)], 1) * 1.6, y


model = nn.Sequential(nn.Linear(2, cfg.width), nn.Tanh(), nn.Linear(cfg.width, cfg.width), nn.Tanh(), nn.Linear(cfg.width, 4))
opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
x, y = arms(2000)
for step in range(cfg.steps):
    idx = torch.randint(0, 1500, (100,))
    loss = nn.functional.cross_entropy(model(x[idx]), y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 100 == 99:
        print(step + 1, f"{loss.item():.4f}")
with torch.no_grad():
    acc = (model(x[1500:]).argmax(-1) == y[1500:]).float().mean().item()
print(f"spiral accuracy {acc:.3f}")

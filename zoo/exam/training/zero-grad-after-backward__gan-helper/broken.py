import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(38)
MODES = torch.tensor([[1.5, 0.0], [-1.5, 0.5]])


def real(n):
    return MODES[torch.randint(0, 2, (n,))] + 0.1 * torch.randn(n, 2) + torch.tensor([2.0, 2.0])


class Gen(nn.Module):
    def __init__(self, z=4, h=32):
        super().__init__()
        self.z = z
        self.f = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, h), nn.ReLU(), nn.Linear(h, 2))

    def forward(self, n):
        return self.f(torch.randn(n, self.z))


gen = Gen()
critic = nn.Sequential(nn.Linear(2, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
opts = {"g": torch.optim.Adam(gen.parameters(), lr=1e-3, betas=(0.5, 0.99)),
        "d": torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.99))}


def update(loss, key, modules):
    loss.backward()
    for m in modules:
        m.zero_grad()
    opts[key].step()
    return loss.item()


log = {"g": [], "d": []}
for it in range(1, 601):
    d = F.softplus(-critic(real(64))).mean() + F.softplus(critic(gen(64).detach())).mean()
    log["d"].append(update(d, "d", [critic]))
    g = F.softplus(-critic(gen(64))).mean()
    log["g"].append(update(g, "g", [gen, critic]))
    if it % 120 == 0:
        print(f"it {it} d {log['d'][-1]:.3f} g {log['g'][-1]:.3f}")
with torch.no_grad():
    off = torch.cdist(gen(500), MODES + 2.0).min(1).values.mean()
print(f"generator offset {off:.3f}")

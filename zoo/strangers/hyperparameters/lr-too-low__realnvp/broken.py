# RealNVP density estimation on two moons, notebook export
# %%
import math
import torch
from torch import nn
from sklearn.datasets import make_moons

torch.manual_seed(2024)

# %% data: independent draws for fit and held-out
def draw(n, seed):
    pts, _ = make_moons(n, noise=0.08, random_state=seed)
    return torch.tensor(pts, dtype=torch.float32)

train, held = draw(10000, 1), draw(2000, 2)
center, scale = train.mean(0), train.std(0)
train, held = (train - center) / scale, (held - center) / scale

# %% model
class Coupling(nn.Module):
    def __init__(self, flip, hidden=24):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(), nn.Linear(hidden, 2))

    def forward(self, x):
        a, b = x[:, :1], x[:, 1:]
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, dim=1)
        s = 2 * torch.tanh(s / 2)
        b = (b + t) * s.exp()
        z = torch.cat([b, a] if self.flip else [a, b], dim=1)
        return z, s.squeeze(1)

class RealNVP(nn.Module):
    def __init__(self, n=6):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(flip=bool(i % 2)) for i in range(n))

    def log_prob(self, x):
        log_det = torch.zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            log_det = log_det + ld
        base = -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi)
        return base + log_det

flow = RealNVP()

# %% fit
STEPS, BATCH = 900, 256
opt = torch.optim.AdamW(flow.parameters(), lr=2e-6, weight_decay=1e-5)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)
curve = []
for step in range(STEPS):
    batch = train[torch.randint(0, len(train), (BATCH,))]
    nll = -flow.log_prob(batch).mean()
    opt.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(flow.parameters(), 10.0)
    opt.step()
    sched.step()
    curve.append(nll.item())
    if (step + 1) % 100 == 0:
        print(f"step {step + 1:5d}   nll {sum(curve[-100:]) / 100:.4f}")

# %% evaluation
with torch.no_grad():
    held_nll = -flow.log_prob(held).mean().item()
cov = torch.cov(train.T)
gauss = torch.distributions.MultivariateNormal(train.mean(0), cov)
print(f"held-out nll: flow {held_nll:.3f}   single gaussian {-gauss.log_prob(held).mean():.3f}")

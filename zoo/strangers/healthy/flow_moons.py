# %% [markdown]
# # RealNVP on a 2-D density
# Fit a small coupling flow to a toy density; report bits per dimension.

# %%
import math
import numpy as np
import torch
from torch import nn
from sklearn.datasets import make_moons
from sklearn.mixture import GaussianMixture

SEED = 2024
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
raw, which_moon = make_moons(10000, noise=0.1, random_state=SEED)
raw = raw.astype("float32")
n_tr, n_va = 7000, 1000
tr, va, te = raw[:n_tr], raw[n_tr:n_tr + n_va], raw[n_tr + n_va:]
mu, sd = tr.mean(0), tr.std(0)
log_sd = float(np.log(sd).sum())
tr, va, te = (torch.from_numpy((a - mu) / sd) for a in (tr, va, te))
print("shapes", tuple(tr.shape), tuple(va.shape), tuple(te.shape))

# %%
class Coupling(nn.Module):
    def __init__(self, flip, width=64):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 2))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def _split(self, x):
        a, b = x[:, :1], x[:, 1:]
        return (b, a) if self.flip else (a, b)

    def _join(self, a, b):
        return torch.cat([b, a] if self.flip else [a, b], 1)

    def forward(self, x):
        a, b = self._split(x)
        s, t = self.net(a).chunk(2, 1)
        s = 2.0 * torch.tanh(s / 2.0)
        return self._join(a, b * s.exp() + t), s.squeeze(1)

    def inverse(self, z):
        a, b = self._split(z)
        s, t = self.net(a).chunk(2, 1)
        s = 2.0 * torch.tanh(s / 2.0)
        return self._join(a, (b - t) * (-s).exp())


class Flow(nn.Module):
    def __init__(self, depth=8):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(i % 2 == 0) for i in range(depth))

    def log_prob(self, x):
        ld = x.new_zeros(len(x))
        for layer in self.layers:
            x, d = layer(x)
            ld = ld + d
        return -0.5 * x.pow(2).sum(1) - math.log(2 * math.pi) + ld

    def sample(self, n):
        z = torch.randn(n, 2)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z

# %%
flow = Flow()
optim = torch.optim.Adam(flow.parameters(), lr=2e-3)
EPOCHS, BS = 40, 256
steps = EPOCHS * (n_tr // BS)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, steps)
best = (float("inf"), None)
hist = []
for ep in range(EPOCHS):
    perm = torch.randperm(n_tr)
    tot = 0.0
    for i in range(n_tr // BS):
        xb = tr[perm[i * BS:(i + 1) * BS]]
        nll = -flow.log_prob(xb).mean()
        optim.zero_grad()
        nll.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 10.0)
        optim.step(); sched.step()
        tot += nll.item()
    with torch.no_grad():
        v = -flow.log_prob(va).mean().item()
    hist.append((tot / (n_tr // BS), v))
    if v < best[0]:
        best = (v, {k: p.clone() for k, p in flow.state_dict().items()})
    if ep % 5 == 4:
        print("epoch %02d | train nats %.4f | valid nats %.4f" % (ep + 1, *hist[-1]))

# %%
flow.load_state_dict(best[1])
with torch.no_grad():
    nats = -flow.log_prob(te).mean().item() + log_sd
    s = flow.sample(2000)
    z = s
    for layer in flow.layers:
        z, _ = layer(z)
    back = z
    for layer in reversed(flow.layers):
        back = layer.inverse(back)
    err = (back - s).abs().max().item()
gm = GaussianMixture(4, random_state=0).fit(tr.numpy())
print("GMM-4 test nats (original units): %.4f" % (-gm.score(te.numpy()) + log_sd))
print("flow   test nats (original units): %.4f" % nats)
print("bits/dim: %.4f   inverse error: %.1e" % (nats / math.log(2) / 2, err))

# coding: utf-8
# Exported from flows.ipynb

# In[1]:
import math
import resource
import time

import numpy as np
import torch
from sklearn.datasets import make_moons
from torch import nn

SEED = 11
torch.manual_seed(SEED)
np.random.seed(SEED)


# In[2]:  data -- two moons, density estimation, so there are no labels
pts, _ = make_moons(n_samples=12000, noise=0.1, random_state=SEED)
pts = torch.tensor(pts, dtype=torch.float32)
perm = torch.randperm(len(pts))
tr, va, te = pts[perm[:6000]], pts[perm[6000:9000]], pts[perm[9000:]]

mu, sd = tr.mean(0), tr.std(0)
tr, va, te = [(part - mu) / sd for part in (tr, va, te)]
print("train / val / test:", len(tr), len(va), len(te))


# In[3]:  affine coupling layers
class Coupling(nn.Module):
    def __init__(self, mask, width=64):
        super().__init__()
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(
            nn.Linear(2, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 4),
        )
        nn.init.normal_(self.net[-1].weight, std=0.01)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        s, t = self.net(x * self.mask).chunk(2, dim=1)
        s = torch.tanh(s) * (1 - self.mask)
        t = t * (1 - self.mask)
        return x * torch.exp(s) + t, s.sum(1)


class RealNVP(nn.Module):
    def __init__(self, depth=6):
        super().__init__()
        a, b = torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0])
        self.layers = nn.ModuleList([Coupling(a if i % 2 == 0 else b) for i in range(depth)])

    def log_prob(self, x):
        logdet = torch.zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        base = -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi)
        return base + logdet


# In[4]:

def heldout_nll(flow, data, chunk=250):
    flow.eval()
    parts = [flow.log_prob(data[i:i + chunk]) for i in range(0, len(data), chunk)]
    return -torch.cat(parts).mean()


# In[5]:
flow = RealNVP()
EPOCHS = 24
BATCH = 256
opt = torch.optim.Adam(flow.parameters(), lr=2e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)

history = {"train": [], "val": []}
t0 = time.time()
for epoch in range(EPOCHS):
    flow.train()
    order = torch.randperm(len(tr))
    total = 0.0
    for i in range(0, len(tr), BATCH):
        xb = tr[order[i:i + BATCH]]
        nll = -flow.log_prob(xb).mean()
        opt.zero_grad()
        nll.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
        opt.step()
        total += nll.item() * len(xb)
    sched.step()

    history["train"].append(total / len(tr))
    history["val"].append(heldout_nll(flow, va))
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1:3d}  train nll {history['train'][-1]:.4f}  "
              f"val nll {history['val'][-1]:.4f}  [{time.time() - t0:.1f}s]")


# In[6]:
best = min(history["val"])
print(f"lowest val nll over the run: {best:.4f}")
print(f"test nll of the final flow:  {heldout_nll(flow, te):.4f}")
print(f"peak memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")

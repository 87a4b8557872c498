# %% [markdown]
# # How long will the battery last, and how sure are we?
# E-bike batteries: predict remaining capacity from a handful of readings. The network gives a mean and a
# log-variance (Gaussian likelihood), and for the uncertainty we follow Gal & Ghahramani and keep dropout on
# while drawing 40 samples. Some readings are missing (NaN) and get a mask column.

# %%
import math, os, random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED); np.random.seed(SEED); torch.manual_seed(SEED)

# %% readings
rng = np.random.default_rng(SEED)
N = 5000
cycles = rng.uniform(0, 900, N)
heat = rng.gamma(4, 6, N)
depth = rng.beta(4, 2, N)
resist = 40 + 0.03 * cycles + 0.25 * heat + rng.normal(0, 2, N)
cap = 100 - 0.028 * cycles * (0.5 + depth) - 0.004 * heat * np.sqrt(cycles) * 1.5 - 6 * (depth > 0.85)
cap = cap + rng.normal(0, 1, N) * (0.5 + cycles / 450)          # old cells scatter more
X = np.c_[cycles, heat, depth, resist]
X[rng.random(X.shape) < 0.06] = np.nan

i = rng.permutation(N)
tr, va, te = i[:3500], i[3500:4000], i[4000:]
mu, sd = np.nanmean(X[tr], 0), np.nanstd(X[tr], 0)
y_mu, y_sd = cap[tr].mean(), cap[tr].std()


def prepare(idx):
    z = (X[idx] - mu) / sd
    gone = np.isnan(z)
    z = np.where(gone, 0.0, z)                # a missing reading becomes the average one
    return (torch.tensor(np.c_[z, gone], dtype=torch.float32),
            torch.tensor((cap[idx] - y_mu) / y_sd, dtype=torch.float32))


(x_tr, y_tr), (x_va, y_va), (x_te, y_te) = map(prepare, (tr, va, te))


# %% model
class BayesianMLP(nn.Module):
    def __init__(self, d_in=8, width=96, p=0.05):
        super().__init__()
        self.fc1, self.fc2, self.out = nn.Linear(d_in, width), nn.Linear(width, width), nn.Linear(width, 2)
        self.p = p

    def forward(self, x, sample=None):
        on = self.training if sample is None else sample
        h = F.dropout(F.silu(self.fc1(x)), self.p, training=on)
        h = F.dropout(F.silu(self.fc2(h)), self.p, training=on)
        mean, logvar = self.out(h).unbind(-1)
        return mean, logvar.clamp(-7, 4)


def nll(mean, logvar, y):
    # constants left out, so this goes below zero when the fit gets good
    return 0.5 * (logvar + (y - mean) ** 2 * torch.exp(-logvar)).mean()


net = BayesianMLP()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-4)
EPOCHS = 70
plan = torch.optim.lr_scheduler.LambdaLR(opt, lambda e: 0.5 * (1 + math.cos(math.pi * e / EPOCHS)) + 1e-2)

for epoch in range(EPOCHS):
    net.train()
    running = []
    for b in torch.randperm(len(x_tr)).split(128):
        loss = nll(*net(x_tr[b]), y_tr[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        running.append(loss.detach())
    plan.step()
    if (epoch + 1) % 10 == 0:
        net.eval()
        with torch.no_grad():
            m, lv = net(x_va)
            print(f"{epoch + 1:3d}  train nll {torch.stack(running).mean():+.4f}  val nll {nll(m, lv, y_va):+.4f}  "
                  f"val rmse {F.mse_loss(m, y_va).sqrt() * y_sd:.2f} %")

# %% test: plain prediction, and 40 dropout samples for the interval
net.eval()
with torch.no_grad():
    plain, _ = net(x_te)
    draws = [net(x_te, sample=True) for _ in range(40)]
    means = torch.stack([m for m, _ in draws])
    noise = torch.stack([lv.exp() for _, lv in draws]).mean(0)
    centre, spread = means.mean(0), (means.var(0) + noise).sqrt()
    inside = ((y_te - centre).abs() < 1.645 * spread).float().mean()
r2 = 1 - ((y_te - plain) ** 2).sum() / ((y_te - y_te.mean()) ** 2).sum()
print(f"test rmse plain {F.mse_loss(plain, y_te).sqrt() * y_sd:.2f} %  sampled {F.mse_loss(centre, y_te).sqrt() * y_sd:.2f} %")
print(f"test r2 {r2:.3f}   90% interval covers {inside:.3f}")

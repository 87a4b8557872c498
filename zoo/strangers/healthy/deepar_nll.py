# %% [markdown]
# # Probabilistic forecast of ticket volume
# GRU with a Gaussian head, teacher forcing, trained on random crops of the past of many stores.

# %%
import math

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
rng = np.random.default_rng(0)

# %%
N_STORES, DAYS, HOLDOUT, CONTEXT = 40, 7 * 40, 28, 56
day = np.arange(DAYS)
level = rng.uniform(50, 400, size=(N_STORES, 1))
week = np.sin(2 * np.pi * day / 7 + rng.uniform(0, 2 * np.pi, (N_STORES, 1)))
month = np.sin(2 * np.pi * day / 28 + rng.uniform(0, 2 * np.pi, (N_STORES, 1)))
noise = rng.normal(size=(N_STORES, DAYS))
sales = level * (1 + 0.25 * week + 0.1 * month + 0.025 * noise)

raw = torch.tensor(sales, dtype=torch.float32)
past = raw[:, : DAYS - 2 * HOLDOUT]
loc, scale = past.mean(1, keepdim=True), past.std(1, keepdim=True)
series = (raw - loc) / scale
calendar = torch.tensor(np.eye(7)[day % 7], dtype=torch.float32)

# %%
class GaussianGRU(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(1 + 7, hidden, batch_first=True)
        self.mu = nn.Linear(hidden, 1)
        self.pre_sigma = nn.Linear(hidden, 1)

    def forward(self, previous, cal):
        h, _ = self.gru(torch.cat([previous.unsqueeze(-1), cal], dim=-1))
        sigma = nn.functional.softplus(self.pre_sigma(h)).squeeze(-1) + 1e-3
        return Normal(self.mu(h).squeeze(-1), sigma)


def random_crops(n):
    """n windows that end before the held-out months."""
    store = torch.randint(N_STORES, (n,))
    start = torch.randint(past.shape[1] - CONTEXT - 1, (n,))
    pos = start.unsqueeze(1) + torch.arange(CONTEXT + 1)
    return series[store.unsqueeze(1), pos], calendar[pos]


@torch.no_grad()
def one_step_report(model, first, last):
    """One-step-ahead distributions for the days first..last-1, warmed up on CONTEXT days."""
    model.eval()
    lo = first - CONTEXT
    cal = calendar[lo + 1:last].expand(N_STORES, -1, -1)
    dist = model(series[:, lo:last - 1], cal)
    truth = series[:, lo + 1:last]
    n = last - first
    nll = -dist.log_prob(truth)[:, -n:].mean().item()
    z = ((truth - dist.mean) / dist.stddev)[:, -n:]
    coverage = (z.abs() < 1.645).float().mean().item()
    mape = ((truth - dist.mean)[:, -n:] * scale / raw[:, last - n:last]).abs().mean().item()
    return nll, coverage, mape


# %%
model = GaussianGRU()
STEPS = 300
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=STEPS)

bits = []
for step in range(STEPS):
    model.train()
    window, cal = random_crops(64)
    dist = model(window[:, :-1], cal[:, 1:])
    nll = -dist.log_prob(window[:, 1:]).mean()
    optimizer.zero_grad()
    nll.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 10.0)
    optimizer.step()
    schedule.step()
    bits.append(nll.item() / math.log(2))
    if (step + 1) % 50 == 0:
        val_nll, *_ = one_step_report(model, DAYS - 2 * HOLDOUT, DAYS - HOLDOUT)
        print(f"step {step + 1:4d}  train {np.mean(bits[-50:]):+.3f} bits  valid {val_nll / math.log(2):+.3f} bits")

# %%
nll, coverage, mape = one_step_report(model, DAYS - HOLDOUT, DAYS)
print(f"test: {nll / math.log(2):+.3f} bits, 90% interval covers {coverage:.1%}, MAPE {mape:.1%}")

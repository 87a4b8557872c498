# %% [markdown]
# # Water level at the harbour, one sample every 10 minutes
# My Raspberry Pi logs the level with an ultrasonic sensor. Several gauges run side by side; a GRU walks
# along all of them in parallel and always predicts the level half an hour (3 samples) ahead.
# The record is cut into consecutive windows and the hidden state is handed from window to window
# (truncated backprop through time), so the windows have to come in order.

# %%
import os
import random
import numpy as np
import torch
from torch import nn

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

GAUGES, SAMPLES, AHEAD, WINDOW = 16, 3000, 3, 40

# %% the record: two tides, slow surge (AR), local seiche whose phase drifts, sensor noise
rng = np.random.default_rng(SEED)
t = np.arange(SAMPLES)
level = np.zeros((GAUGES, SAMPLES))
for g in range(GAUGES):
    tide = 1.2 * np.sin(2 * np.pi * t / 74.5 + rng.uniform(0, 6.28)) + 0.5 * np.sin(2 * np.pi * t / 72.0 + rng.uniform(0, 6.28))
    surge = np.zeros(SAMPLES)
    for k in range(1, SAMPLES):
        surge[k] = 0.99 * surge[k - 1] + rng.normal(0, 0.03)
    seiche = rng.uniform(0.2, 0.4) * np.sin(2 * np.pi * t / rng.uniform(9, 13) + np.cumsum(rng.normal(0, 0.05, SAMPLES)))
    level[g] = tide + surge + seiche + rng.normal(0, 0.04, SAMPLES)

# %% split by time: 70% / 10% / 20%, scaling from the first part only
cut1, cut2 = int(0.7 * SAMPLES), int(0.8 * SAMPLES)
mean, std = level[:, :cut1].mean(), level[:, :cut1].std()
series = torch.tensor((level - mean) / std, dtype=torch.float32).unsqueeze(-1)


def windows(start, stop):
    """consecutive (input, target) windows; target = input shifted by AHEAD samples"""
    for s in range(start, stop - WINDOW - AHEAD + 1, WINDOW):
        yield series[:, s:s + WINDOW], series[:, s + AHEAD:s + AHEAD + WINDOW]


# %% model: predicts the change with respect to now; starts out as "stays as it is"
class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.GRU(1, hidden, batch_first=True)
        self.head = nn.Linear(hidden, 1)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x, h=None):
        y, h = self.rnn(x, h)
        return x + self.head(y), h


model = Forecaster()
optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
scheduler = torch.optim.lr_scheduler.OneCycleLR(
    optimizer, max_lr=8e-3, total_steps=12 * len(list(windows(0, cut1))))
mse = nn.MSELoss()


def evaluate(start, stop):
    """walk up to `start` first so the state is warm, then measure"""
    model.eval()
    with torch.no_grad():
        _, h = model(series[:, max(0, start - 400):start])
        err, naive, n = 0.0, 0.0, 0
        for x, y in windows(start, stop):
            p, h = model(x, h)
            err += ((p - y) ** 2).sum().item()
            naive += ((x - y) ** 2).sum().item()
            n += y.numel()
    return (err / n) ** 0.5 * std * 100, (naive / n) ** 0.5 * std * 100


# %%
for epoch in range(12):
    model.train()
    h, losses = None, []
    for x, y in windows(0, cut1):
        if h is not None:
            h = h.detach()
        pred, h = model(x, h)
        loss = mse(pred, y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    rmse, _ = evaluate(cut1, cut2)
    print(f"epoch {epoch + 1:2d}  loss {np.mean(losses):.4f}  val rmse {rmse:.1f} cm")

# %%
rmse, naive = evaluate(cut2, SAMPLES)
print(f"test rmse {rmse:.1f} cm   (level stays as it is: {naive:.1f} cm)")

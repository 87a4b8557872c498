# %% [markdown]
# # Delivery volume: probabilistic forecast for the next 12 hours
# Direct multi-horizon model, three quantiles, trained on 48 h windows of one depot network.

# %%
import sys

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 0
np.random.seed(SEED)
torch.manual_seed(SEED)

CFG = dict(context=48, horizon=12, batch=64, epochs=6, lr=0.02, momentum=0.9, quantiles=(0.1, 0.5, 0.9))

# %%
def make_series(n_depots=12, hours=24 * 60):
    rng = np.random.default_rng(SEED)
    t = np.arange(hours)
    out = []
    for _ in range(n_depots):
        amp, ph = rng.uniform(0.8, 1.4), rng.uniform(0, 2 * np.pi)
        ar = np.zeros(hours)
        for i in range(1, hours):
            ar[i] = 0.92 * ar[i - 1] + 0.18 * rng.standard_normal()
        day = amp * np.sin(2 * np.pi * t / 24 + ph) + 0.4 * np.sin(4 * np.pi * t / 24 + 2 * ph)
        spread = 0.15 + 0.15 * (np.sin(2 * np.pi * t / 24 + ph) > 0)
        out.append(3 + day + ar + spread * rng.standard_normal(hours))
    return np.stack(out).astype(np.float32)


class Windows(Dataset):
    def __init__(self, series, context, horizon, stride):
        self.series, self.context, self.horizon = series, context, horizon
        last = series.shape[1] - context - horizon
        self.index = [(d, s) for d in range(len(series)) for s in range(0, last + 1, stride)]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        d, s = self.index[i]
        mid = s + self.context
        return self.series[d, s:mid], self.series[d, mid:mid + self.horizon]


# %%
class PinballLoss(nn.Module):
    """Quantile loss over (batch, horizon, quantile) predictions."""

    def __init__(self, quantiles, reduction="sum"):
        super().__init__()
        self.register_buffer("q", torch.tensor(quantiles))
        self.reduction = reduction

    def forward(self, pred, target):
        err = target.unsqueeze(-1) - pred
        loss = torch.maximum(self.q * err, (self.q - 1) * err)
        if self.reduction == "mean":
            return loss.mean()
        if self.reduction == "sum":
            return loss.sum()
        return loss


class Forecaster(nn.Module):
    def __init__(self, context, horizon, n_q, width=128):
        super().__init__()
        self.shape = (horizon, n_q)
        self.net = nn.Sequential(
            nn.Linear(context, width), nn.ReLU(),
            nn.Linear(width, width), nn.ReLU(),
            nn.Linear(width, horizon * n_q),
        )

    def forward(self, x):
        return self.net(x).view(-1, *self.shape)


# %%
series = make_series()
cut = int(series.shape[1] * 0.8)
mean, std = series[:, :cut].mean(), series[:, :cut].std()
scaled = (series - mean) / std
train_ds = Windows(scaled[:, :cut], CFG["context"], CFG["horizon"], stride=1)
test_ds = Windows(scaled[:, cut:], CFG["context"], CFG["horizon"], stride=6)
train_dl = DataLoader(train_ds, batch_size=CFG["batch"], shuffle=True)
test_dl = DataLoader(test_ds, batch_size=512)

model = Forecaster(CFG["context"], CFG["horizon"], len(CFG["quantiles"]))
criterion = PinballLoss(CFG["quantiles"])
opt = torch.optim.SGD(model.parameters(), lr=CFG["lr"], momentum=CFG["momentum"])
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, CFG["epochs"] * len(train_dl))

# %%
def evaluate():
    model.eval()
    loss_sum, cover, count = 0.0, 0.0, 0
    per_point = PinballLoss(CFG["quantiles"], reduction="none")
    with torch.no_grad():
        for x, y in test_dl:
            p = model(x)
            loss_sum += per_point(p, y).mean(dim=(1, 2)).sum().item()
            cover += ((y >= p[..., 0]) & (y <= p[..., -1])).float().mean(dim=1).sum().item()
            count += len(x)
    return loss_sum / count, cover / count


for epoch in range(CFG["epochs"]):
    model.train()
    for x, y in train_dl:
        opt.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        opt.step()
        sched.step()
    q, c = evaluate()
    print(f"epoch {epoch + 1}  last batch {loss.item():.4f}  test pinball {q:.4f}  80% interval covers {c:.3f}")

# %%
q, c = evaluate()
print(f"final test pinball {q:.4f}, interval coverage {c:.3f}")

"""One-day-ahead river level from the last 20 days; oldest 70% for fitting, next 15% to watch, newest 15% to report."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(6)
rng = np.random.default_rng(6)

DAYS, BACK = 4000, 20
rain = rng.gamma(0.35, 6.0, DAYS) * (1 + 0.5 * np.sin(2 * np.pi * np.arange(DAYS) / 365.25))
level = np.empty(DAYS)
soil, store = 5.0, 20.0
for d in range(DAYS):
    soil = 0.85 * soil + rain[max(d - 1, 0)]
    store = 0.93 * store + 0.25 * soil
    level[d] = np.sqrt(store) + 0.05 * rng.standard_normal()

series = np.stack([level, np.log1p(rain)], axis=1)
cut_a, cut_b = int(0.70 * DAYS), int(0.85 * DAYS)
mean, std = series[:cut_a].mean(0), series[:cut_a].std(0)
z = (series - mean) / std


def windows(lo, hi):
    """targets are days lo..hi-1; each window holds only earlier days of the same stretch"""
    days = np.arange(lo + BACK, hi)
    x = np.stack([z[d - BACK:d] for d in days])
    y = z[days, 0] - z[days - 1, 0]
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


x_fit, y_fit = windows(0, cut_a)
x_val, y_val = windows(cut_a, cut_b)
x_new, y_new = windows(cut_b, DAYS)
change = y_fit.std()          # the network predicts the change in units of its usual size
y_fit, y_val, y_new = y_fit / change, y_val / change, y_new / change


class Gauge(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        _, h = self.gru(x)
        return self.out(h[-1])[:, 0]


def mse(model, x, y):
    model.eval()
    with torch.no_grad():
        e = model(x) - y
    return float((e * e).mean())


model = Gauge()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-5)
EPOCHS, BATCH = 20, 64
for epoch in range(EPOCHS):
    for group in optimizer.param_groups:
        group["lr"] = 3e-3 * 0.85 ** epoch
    model.train()
    order = torch.randperm(len(x_fit))
    total = 0.0
    for start in range(0, len(order), BATCH):
        take = order[start:start + BATCH]
        optimizer.zero_grad()
        loss = ((model(x_fit[take]) - y_fit[take]) ** 2).mean()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(take)
    print(f"{epoch:2d}  fit {total / len(x_fit):.4f}  val {mse(model, x_val, y_val):.4f}")

err = mse(model, x_new, y_new)
lazy = float((y_new ** 2).mean())
unit = float(change) * std[0]
print(f"newest stretch: rmse {err ** 0.5 * unit:.4f} m, 'same as today' {lazy ** 0.5 * unit:.4f} m, skill {1 - err / lazy:.3f}")

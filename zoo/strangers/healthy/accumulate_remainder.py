"""Gradient accumulation that treats the short last group fairly: sums are divided by the examples they hold."""
import math
import numpy as np
import torch
from torch import nn

torch.manual_seed(31)
rng = np.random.default_rng(31)
n = 2530
area = rng.uniform(30, 220, n)
age = rng.uniform(0, 90, n)
dist = rng.gamma(2.0, 4.0, n)
floor = rng.integers(0, 9, n).astype(float)
price = 900 * area * np.exp(-dist / 20) * (1 - 0.004 * age) + 2500 * floor + rng.normal(0, 6000, n)
X = np.column_stack([area, age, dist, floor])
train, test = slice(0, 2030), slice(2030, n)
xm, xs = X[train].mean(0), X[train].std(0)
ym, ys = price[train].mean(), price[train].std()
X = torch.tensor((X - xm) / xs, dtype=torch.float32)
y = torch.tensor((price - ym) / ys, dtype=torch.float32)

MICRO, GROUP = 16, 4
net = nn.Sequential(nn.Linear(4, 48), nn.SiLU(), nn.Linear(48, 48), nn.SiLU(), nn.Linear(48, 1), nn.Flatten(0))
opt = torch.optim.AdamW(net.parameters(), lr=4e-3)
per_example = nn.MSELoss(reduction="none")

for epoch in range(25):
    order = torch.randperm(2030)
    epoch_sum = 0.0
    for group in order.split(MICRO * GROUP):
        for micro in group.split(MICRO):
            losses = per_example(net(X[train][micro]), y[train][micro])
            (losses.sum() / len(group)).backward()
            epoch_sum += losses.sum().item()
        opt.step()
        opt.zero_grad()
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d} mse {epoch_sum / 2030:.4f}")

with torch.no_grad():
    mse = per_example(net(X[test]), y[test]).mean().item()
print(f"test: rmse {math.sqrt(mse) * ys:,.0f}  R2 {1 - mse / y[test].var().item():.3f}")

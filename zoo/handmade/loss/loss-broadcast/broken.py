"""Regress the wear of a cutting tool on cutting speed, feed, depth, temperature and vibration."""

import numpy as np
import torch
from torch import nn

torch.manual_seed(9)
rng = np.random.default_rng(9)

n = 3000
speed = rng.uniform(60, 240, n)
feed = rng.uniform(0.05, 0.4, n)
depth = rng.uniform(0.5, 3.0, n)
temperature = rng.normal(420, 60, n)
vibration = rng.gamma(2.0, 1.5, n)

wear = (
    0.02 * speed * feed
    + 0.3 * depth
    + 0.004 * (temperature - 420)
    + 0.15 * np.sqrt(vibration)
    + 0.06 * rng.normal(size=n)
)
table = np.stack([speed, feed, depth, temperature, vibration], axis=1)

split = int(0.8 * n)
x_mean, x_std = table[:split].mean(axis=0), table[:split].std(axis=0)
y_mean, y_std = wear[:split].mean(), wear[:split].std()
x = torch.tensor((table - x_mean) / x_std, dtype=torch.float32)
y = torch.tensor((wear - y_mean) / y_std, dtype=torch.float32)
x_train, y_train = x[:split], y[:split]
x_test, y_test = x[split:], y[split:]


def make_step(net, optimizer):
    def step(xb, yb):
        net.train()
        optimizer.zero_grad()
        pred = net(xb)
        loss = (pred - yb).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def test_r2(net):
    net.eval()
    with torch.no_grad():
        pred = net(x_test).flatten()
    return 1 - ((y_test - pred) ** 2).sum() / ((y_test - y_test.mean()) ** 2).sum()


net = nn.Sequential(nn.Linear(5, 40), nn.SiLU(), nn.Linear(40, 40), nn.SiLU(), nn.Linear(40, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
step = make_step(net, optimizer)

batch = 60
for epoch in range(15):
    perm = torch.randperm(split)
    losses = [
        step(x_train[perm[i : i + batch]], y_train[perm[i : i + batch]])
        for i in range(0, split, batch)
    ]
    if epoch % 3 == 0:
        print(f"epoch {epoch:2d}: mse {np.mean(losses):.4f}")

print(f"test r2 {test_r2(net).item():.3f}")

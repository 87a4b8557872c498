"""Hourly electricity demand from calendar and weather features: a robust linear model.

Daily and weekly cycles are expanded into sines and cosines, temperature into hinge functions; the
weights are fitted by stochastic gradient descent on the Huber loss. The last weeks are held out.
"""

import math

import torch
from torch import nn

torch.manual_seed(0)

HOURS = 24 * 7 * 40
TEST_HOURS = 24 * 7 * 6
BATCH = 128
STEPS = 1800


def simulate(hours):
    t = torch.arange(hours, dtype=torch.float32)
    day = 2 * math.pi * t / 24
    week = 2 * math.pi * t / (24 * 7)
    weather = torch.zeros(hours)
    shocks = torch.randn(hours)
    for i in range(1, hours):
        weather[i] = 0.97 * weather[i - 1] + 0.24 * shocks[i]
    temperature = weather + 0.6 * torch.sin(day - 2.0)
    demand = (
        1.2 * torch.sin(day - 1.0)
        + 0.6 * torch.cos(2 * day)
        + 0.5 * torch.cos(week)
        + 0.9 * torch.relu(temperature - 0.8)
        + 0.7 * torch.relu(-temperature - 0.3)
        + 0.12 * torch.randn(hours)
    )
    return t, temperature, demand


def expand(t, temperature):
    columns = []
    for k in range(1, 5):
        columns += [torch.sin(2 * math.pi * k * t / 24), torch.cos(2 * math.pi * k * t / 24)]
    for k in range(1, 4):
        columns += [torch.sin(2 * math.pi * k * t / 168), torch.cos(2 * math.pi * k * t / 168)]
    for knot in (-1.5, -0.9, -0.3, 0.3, 0.8, 1.4):
        columns.append(torch.relu(temperature - knot))
    return torch.stack(columns, dim=1)


t, temperature, demand = simulate(HOURS)
raw = expand(t, temperature)
split = HOURS - TEST_HOURS
mean, std = raw[:split].mean(0), raw[:split].std(0)
features, test_features = ((raw - mean) / std).split([split, TEST_HOURS])
level, scale = demand[:split].mean(), demand[:split].std()
target, test_target = ((demand - level) / scale).unsqueeze(1).split([split, TEST_HOURS])

model = nn.Linear(features.shape[1], 1)
criterion = nn.HuberLoss(delta=1.0)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

running = 0.0
for step in range(1, STEPS + 1):
    rows = torch.randint(0, split, (BATCH,))
    loss = criterion(model(features[rows]), target[rows])
    optimizer.step()
    optimizer.zero_grad()
    loss.backward()
    running += loss.item()
    if step % 300 == 0:
        print(f"step {step:4d}  huber {running / 300:.4f}")
        running = 0.0

with torch.no_grad():
    error = (model(test_features) - test_target).abs().mean().item()
print(f"test MAE {error:.4f} (standardised units)")

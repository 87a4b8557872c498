import math

import torch
from torch import nn

torch.manual_seed(7)

T, W, HORIZON = 1600, 32, 4


def make_series():
    t = torch.arange(T, dtype=torch.float32)
    s = torch.sin(2 * math.pi * t / 23) + 0.5 * torch.sin(2 * math.pi * t / 61 + 1.0)
    return s + 0.1 * torch.randn(T)


def make_windows(series, start, stop):
    xs, ys = [], []
    for i in range(start, stop - W - HORIZON):
        xs.append(series[start : start + W])
        ys.append(series[i + W + HORIZON - 1])
    return torch.stack(xs).unsqueeze(1), torch.stack(ys)


series = make_series()
train_x, train_y = make_windows(series, 0, 1200)
test_x, test_y = make_windows(series, 1200, T)

model = nn.Sequential(
    nn.Conv1d(1, 12, 5), nn.ReLU(),
    nn.Conv1d(12, 12, 5, stride=2), nn.ReLU(),
    nn.Flatten(), nn.Linear(12 * 12, 1),
)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

step = 0
while step < 400:
    pick = torch.randint(0, train_x.shape[0], (64,))
    prediction = model(train_x[pick])[:, 0]
    loss = (prediction - train_y[pick]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if step % 100 == 0:
        print("step", step, "mse", round(loss.item(), 4))

with torch.no_grad():
    err = (model(test_x)[:, 0] - test_y).pow(2).mean()
skill = 1 - err / test_y.var()
print(f"skill {skill.item():.3f}")

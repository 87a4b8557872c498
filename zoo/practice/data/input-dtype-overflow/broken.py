import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(0)
torch.manual_seed(0)
MOVES = [(0, 1), (0, -1), (1, 0), (-1, 0)]


def clip(n):
    a = np.zeros((n, 16, 16), np.uint8)
    b = np.zeros((n, 16, 16), np.uint8)
    y = rng.integers(0, 4, n)
    for i in range(n):
        scene = rng.integers(60, 200, (20, 20))
        dy, dx = MOVES[y[i]]
        a[i] = scene[2:18, 2:18]
        b[i] = np.clip(scene[2 + dy:18 + dy, 2 + dx:18 + dx] + rng.integers(-4, 5, (16, 16)), 0, 255)
    return a, b, y


def features(a, b):
    """Previous frame and change image, scaled to about one."""
    change = b - a
    gray = a.astype(np.float32) / 128.0 - 1.0
    return torch.from_numpy(np.stack([gray, change.astype(np.float32) / 64.0], 1))


a, b, y = clip(1500)
X, Y = features(a, b), torch.from_numpy(y)
a, b, y = clip(300)
Xt, Yt = features(a, b), torch.from_numpy(y)

model = nn.Sequential(
    nn.Conv2d(2, 24, 3), nn.ReLU(), nn.Conv2d(24, 24, 1), nn.ReLU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 4))
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
for epoch in range(4):
    for idx in torch.randperm(len(X)).split(50):
        loss = nn.functional.cross_entropy(model(X[idx]), Y[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"{epoch}: {loss.item():.4f}")
with torch.no_grad():
    print(f"direction accuracy {(model(Xt).argmax(1) == Yt).float().mean().item():.3f}")

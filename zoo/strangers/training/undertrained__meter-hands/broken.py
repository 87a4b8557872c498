# Read both hands of an analog meter (long = units, short = tens) from a small camera image.
import copy
import math

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(17)
torch.set_num_threads(1)
rng = np.random.default_rng(17)
SIZE = 24

# ---- images -----------------------------------------------------------
def draw(n):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE].astype(np.float32)
    imgs = np.empty((n, 1, SIZE, SIZE), dtype=np.float32)
    angles = rng.uniform(0, 2 * math.pi, (n, 2))
    for k in range(n):
        cx, cy = SIZE / 2 - 0.5 + rng.normal(0, 0.4, 2)
        dx, dy = xx - cx, yy - cy
        face = np.zeros_like(xx)
        for a, length in zip(angles[k], (10.5, 5.5)):
            along = dx * math.cos(a) + dy * math.sin(a)
            across = -dx * math.sin(a) + dy * math.cos(a)
            face = np.maximum(face, np.exp(-(across / 1.1) ** 2) * ((along > -1) & (along < length)))
        imgs[k, 0] = rng.uniform(0.8, 1.1) * (0.2 + 0.8 * face) + rng.normal(0, 0.06, (SIZE, SIZE))
    target = np.stack([np.cos(angles), np.sin(angles)], 2).astype(np.float32)
    return torch.from_numpy(imgs), torch.from_numpy(target)

x_tr, y_tr = draw(6000)
x_va, y_va = draw(1000)
x_te, y_te = draw(1000)
mean, std = x_tr.mean(), x_tr.std()
x_tr, x_va, x_te = ((x - mean) / std for x in (x_tr, x_va, x_te))

# ---- model ------------------------------------------------------------
model = nn.Sequential(
    nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.ReLU(),
    nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU(),
    nn.Flatten(), nn.Linear(24 * 36, 64), nn.ReLU(), nn.Linear(64, 4), nn.Unflatten(1, (2, 2)),
)
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

def check(x, y):
    model.eval()
    with torch.no_grad():
        p = model(x)
        err = torch.atan2(p[..., 1], p[..., 0]) - torch.atan2(y[..., 1], y[..., 0])
        err = torch.remainder(err + math.pi, 2 * math.pi) - math.pi
        return criterion(p, y).item(), err.abs().mean().item() * 180 / math.pi

# ---- training with early stopping --------------------------------------
MAX_EPOCHS = 16
PATIENCE = 2
MIN_DELTA = 0.05

scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, MAX_EPOCHS, eta_min=1e-3)
loader = DataLoader(TensorDataset(x_tr, y_tr), batch_size=128, shuffle=True)
best, best_state, waited = float("inf"), None, 0
for epoch in range(MAX_EPOCHS):
    model.train()
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    scheduler.step()
    val, deg = check(x_va, y_va)
    print(f"epoch {epoch:2d}  train {total / len(x_tr):.5f}  val {val:.5f}  val error {deg:.2f} deg")
    if val < best - MIN_DELTA:
        best, best_state, waited = val, copy.deepcopy(model.state_dict()), 0
    else:
        waited += 1
        if waited >= PATIENCE:
            print("early stop")
            break

model.load_state_dict(best_state)
mse, deg = check(x_te, y_te)
print(f"test mse {mse:.5f}  mean hand error {deg:.2f} deg")

# Roadside NO2 - quick baseline
# 6 features from the measuring boxes -> NO2 in ug/m3
import random

import numpy as np
import torch
import torch.nn as nn
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

SEED = 2024
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

COLS = ["traffic", "wind", "temp", "humidity", "dist_to_kerb", "building_height"]
N = 5000
EPOCHS = 40
BS = 64

# ---------------------------------------------------------------- table
traffic = np.random.gamma(4.0, 0.25, N)
wind = np.random.gamma(2.0, 1.8, N)
temp = np.random.normal(12, 7, N)
humidity = np.clip(np.random.normal(68, 14, N), 15, 100)
dist = np.random.uniform(1, 30, N)
height = np.random.uniform(4, 28, N)

no2 = (
    14
    + 34 * traffic * np.exp(-wind / 5) * np.exp(-dist / 25)
    + 0.35 * height
    - 0.4 * temp
    + 0.08 * (humidity - 68)
    + np.random.normal(0, 1.5, N)
)
table = np.column_stack([traffic, wind, temp, humidity, dist, height])

# a box that lost its radio link reports nothing for that sensor
lost = np.random.rand(*table.shape) < 0.01
lost[:, 4:] = False          # kerb distance and height are surveyed, never lost
table[lost] = np.nan

# ---------------------------------------------------------------- split
perm = np.random.permutation(N)
tr, va, te = perm[:3500], perm[3500:4200], perm[4200:]

# ---------------------------------------------------------------- clean
medians = np.nanmedian(table[tr], axis=0)


def fill_gaps(block):
    block = block.copy()
    for j in range(block.shape[1]):
        col = block[:, j]
        col[col == np.nan] = medians[j]
    return block


sx = StandardScaler().fit(fill_gaps(table[tr]))
y_mean, y_std = no2[tr].mean(), no2[tr].std()


def pack(idx):
    X = sx.transform(fill_gaps(table[idx])).astype(np.float32)
    y = ((no2[idx] - y_mean) / y_std).astype(np.float32)
    return TensorDataset(torch.from_numpy(X), torch.from_numpy(y))


train_dl = DataLoader(pack(tr), batch_size=BS, shuffle=True)
valid_dl = DataLoader(pack(va), batch_size=512)
test_dl = DataLoader(pack(te), batch_size=512)

# ---------------------------------------------------------------- model
net = nn.Sequential(
    nn.Linear(len(COLS), 48), nn.ReLU(),
    nn.Linear(48, 48), nn.ReLU(),
    nn.Linear(48, 1), nn.Flatten(0),
)
crit = nn.SmoothL1Loss()
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)


def mae(dl):
    net.eval()
    tot, n = 0.0, 0
    with torch.no_grad():
        for xb, yb in dl:
            tot += (net(xb) - yb).abs().sum().item() * y_std
            n += len(yb)
    return tot / n


for ep in range(EPOCHS):
    net.train()
    run, seen = 0.0, 0
    for xb, yb in train_dl:
        loss = crit(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        run += loss.item() * len(yb)
        seen += len(yb)
    sched.step()
    if ep % 4 == 0 or ep == EPOCHS - 1:
        print(f"ep {ep:02d}  train {run / seen:.4f}  valid MAE {mae(valid_dl):.3f} ug/m3")

base = np.abs(no2[te] - np.median(no2[tr])).mean()
print(f"test MAE {mae(test_dl):.3f} ug/m3   (median guess: {base:.3f})")

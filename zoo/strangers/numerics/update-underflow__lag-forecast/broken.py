# %% [markdown]
# Hourly bike rentals: predict the next hour from the last 24 (MLP on lag features)

# %%
import math
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(5)
np.random.seed(5)
torch.set_num_threads(1)

DTYPE = torch.bfloat16
LAGS = 24
HIDDEN = 64
LR = 3e-4
EPOCHS = 20

# %% series
hours = np.arange(24 * 180)
daily = np.sin(2 * np.pi * hours / 24) + 0.5 * np.sin(4 * np.pi * hours / 24 + 0.8)
weekly = 0.6 * np.sin(2 * np.pi * hours / 168)
ar = np.zeros(len(hours))
for i in range(1, len(hours)):
    ar[i] = 0.8 * ar[i - 1] + np.random.normal(0, 0.25)
rentals = 180 + 60 * (daily + weekly + ar)

cut = int(len(rentals) * 0.8)
mu, sd = rentals[:cut].mean(), rentals[:cut].std()
series = (rentals - mu) / sd


def windows(a):
    xs = np.stack([a[i : i + LAGS] for i in range(len(a) - LAGS)])
    return torch.tensor(xs, dtype=DTYPE), torch.tensor(a[LAGS:], dtype=DTYPE)


x_train, y_train = windows(series[:cut])
x_val, y_val = windows(series[cut:])
print("windows:", len(x_train), len(x_val))
loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)

# %% model
net = nn.Sequential(
    nn.Linear(LAGS, HIDDEN), nn.ReLU(),
    nn.Linear(HIDDEN, HIDDEN), nn.ReLU(),
    nn.Linear(HIDDEN, 1),
)
for layer in net:
    if isinstance(layer, nn.Linear):
        nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        nn.init.zeros_(layer.bias)
net = net.to(DTYPE)
optimizer = torch.optim.Adam(net.parameters(), lr=LR)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
criterion = nn.MSELoss()


def val_mse():
    net.eval()
    with torch.no_grad():
        return criterion(net(x_val).squeeze(1).float(), y_val.float()).item()


print(f"before training: val mse {val_mse():.4f}")

# %% fit
for epoch in range(EPOCHS):
    net.train()
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(net(xb).squeeze(1), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    scheduler.step()
    print(f"epoch {epoch + 1:2d}  train mse {total / len(x_train):.4f}  val mse {val_mse():.4f}")

naive = ((x_val[:, -1] - y_val).float() ** 2).mean().item()
print(f"last-value baseline mse {naive:.4f}")
print(f"val RMSE in rentals: {math.sqrt(val_mse()) * sd:.1f}")

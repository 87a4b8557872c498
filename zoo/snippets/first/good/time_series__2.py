import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
series = np.load("river_level.npy").astype(np.float32)
cut = int(0.8 * len(series))
mean, std = series[:cut].mean(), series[:cut].std()
z = (series - mean) / std


def windows(s, w=48, h=6):
    x = np.lib.stride_tricks.sliding_window_view(s, w + h)
    return torch.from_numpy(x[:, :w].copy()), torch.from_numpy(x[:, w:].copy())


train_ds = TensorDataset(*windows(z[:cut]))
x_te, y_te = windows(z[cut:])
# windows of the past may come in any order
loader = DataLoader(train_ds, batch_size=64, shuffle=True)
net = nn.Sequential(nn.Linear(48, 128), nn.ReLU(), nn.Linear(128, 6))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(30):
    for x, y in loader:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
with torch.no_grad():
    print("rmse", ((net(x_te) - y_te).pow(2).mean().sqrt() * std).item())

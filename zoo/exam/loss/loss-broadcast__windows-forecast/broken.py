import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

np.random.seed(30)
torch.manual_seed(30)


class Windows(Dataset):
    def __init__(self, series, lookback, horizon):
        self.s, self.lb, self.h = series.astype(np.float32), lookback, horizon

    def __len__(self):
        return len(self.s) - self.lb - self.h

    def __getitem__(self, i):
        past = self.s[i:i + self.lb]
        return torch.from_numpy(past), torch.tensor(self.s[i + self.lb + self.h - 1])


def huber(pred, target, delta=1.0):
    r = (pred - target).abs()
    return torch.where(r < delta, 0.5 * r ** 2, delta * (r - 0.5 * delta)).mean()


class Forecaster(nn.Module):
    def __init__(self, lookback):
        super().__init__()
        self.conv = nn.Conv1d(1, 16, 5, padding=2)
        self.fc = nn.Sequential(nn.Flatten(), nn.ReLU(), nn.Linear(16 * lookback, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.fc(self.conv(x.unsqueeze(1)))


t = np.arange(2600)
load = np.sin(2 * np.pi * t / 24) + 0.6 * np.sin(2 * np.pi * t / 168 + 1) + 0.1 * np.random.randn(len(t))
mu, sd = load[:2000].mean(), load[:2000].std()
load = (load - mu) / sd
train, test = Windows(load[:2000], 48, 6), Windows(load[2000:], 48, 6)
net = Forecaster(48)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
curve = []
for epoch in range(5):
    acc = 0.0
    for past, future in DataLoader(train, batch_size=64, shuffle=True):
        opt.zero_grad()
        loss = huber(net(past), future)
        loss.backward()
        opt.step()
        acc += loss.item()
    curve.append(acc)
    print(f"epoch {epoch} total loss {acc:.3f}")
net.eval()
se, base = [], []
with torch.no_grad():
    for past, future in DataLoader(test, batch_size=128):
        se.append(((net(past).view(-1) - future) ** 2).numpy())
        base.append(((past[:, -1] - future) ** 2).numpy())
print(f"skill vs persistence {1 - np.concatenate(se).mean() / np.concatenate(base).mean():.3f}")

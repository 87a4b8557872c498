"""
Human activity from a fake 3-axis accelerometer. 1D CNN, 5 classes.
Kernel adapted from the classic HAR notebook.
"""
# %% imports
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)

# %% make the recordings
NAMES = ["sit", "walk", "run", "stairs", "bike"]
FREQ = [0.0, 1.6, 2.6, 1.3, 2.1]
AMP = [0.1, 0.8, 1.2, 0.9, 0.7]
T = 64
t = np.arange(T) / 20.0


def record(cls, n, rng):
    out = np.zeros((n, 3, T), dtype="float32")
    for i in range(n):
        f = FREQ[cls] * rng.uniform(0.9, 1.1)
        a = AMP[cls] * rng.uniform(0.6, 1.4)
        ph = rng.uniform(0, 2 * np.pi)
        out[i, 0] = a * np.sin(2 * np.pi * f * t + ph)
        out[i, 1] = a * 0.5 * np.sin(4 * np.pi * f * t + ph + cls)
        out[i, 2] = a * 0.7 * np.cos(2 * np.pi * f * t + ph)
        out[i] += rng.normal(0, 0.45, size=(3, T))
    return out


rng = np.random.default_rng(0)
X_train = np.concatenate([record(c, 500, rng) for c in range(5)])
y_train = np.repeat(np.arange(5), 500)
X_test = np.concatenate([record(c, 150, rng) for c in range(5)])
y_test = np.repeat(np.arange(5), 150)

mean = X_train.mean(axis=(0, 2), keepdims=True)
std = X_train.std(axis=(0, 2), keepdims=True)
X_train = (X_train - mean) / std
X_test = (X_test - mean) / std
print(X_train.shape, X_test.shape)

# %% loaders
BS = 50
train_ds = TensorDataset(torch.from_numpy(X_train), torch.from_numpy(y_train))
test_ds = TensorDataset(torch.from_numpy(X_test), torch.from_numpy(y_test))
train_loader = DataLoader(train_ds, batch_size=BS, shuffle=False)
test_loader = DataLoader(test_ds, batch_size=250, shuffle=False)


# %% model
class HARNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(3, 16, 7, padding=3)
        self.c2 = nn.Conv1d(16, 32, 5, padding=2)
        self.fc = nn.Linear(32 * 8, 5)

    def forward(self, x):
        x = F.max_pool1d(F.relu(self.c1(x)), 4)
        x = F.relu(self.c2(x))
        x = F.avg_pool1d(x, 2)
        return self.fc(x.flatten(1))


net = HARNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-4)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=6, gamma=0.3)

# %% training
for ep in range(14):
    net.train()
    tot = 0.0
    for xb, yb in train_loader:
        opt.zero_grad()
        loss = F.cross_entropy(net(xb), yb)
        loss.backward()
        opt.step()
        tot += loss.item() * len(yb)
    sched.step()
    print("epoch", ep + 1, "loss", round(tot / len(train_ds), 4))

# %% test
net.eval()
cm = np.zeros((5, 5), dtype=int)
tl = 0.0
with torch.no_grad():
    for xb, yb in test_loader:
        logits = net(xb)
        tl += F.cross_entropy(logits, yb, reduction="sum").item()
        for a, b in zip(yb.tolist(), logits.argmax(1).tolist()):
            cm[a, b] += 1
print("test loss", round(tl / len(test_ds), 4), "test acc", cm.trace() / cm.sum())
for name, row in zip(NAMES, cm):
    print(f"{name:>7s}", row)

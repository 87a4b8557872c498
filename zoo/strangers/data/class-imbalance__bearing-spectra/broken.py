# %% [markdown]
# # Bearing faults from vibration snippets
# Each snippet is 128 samples of an accelerometer. Three conditions: ok / inner race / outer race.
# Rows are independent machines, so a stratified random split is fine.

# %%
import numpy as np
import torch
from sklearn.metrics import balanced_accuracy_score, confusion_matrix
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SEED = 5
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
NAMES = ["ok", "inner", "outer"]
COUNTS = [11000, 500, 500]
T = 128


def record(kind, rng):
    t = np.arange(T)
    shaft = rng.uniform(0.6, 1.0) * np.sin(2 * np.pi * rng.uniform(0.02, 0.04) * t + rng.uniform(0, 6.28))
    x = shaft + rng.normal(0, 1.0, T)
    if kind:
        f = {1: 0.20, 2: 0.33}[kind] + rng.normal(0, 0.008)
        amp = rng.uniform(0.4, 0.9)
        x += amp * np.sin(2 * np.pi * f * t + rng.uniform(0, 6.28))
    return x


rng = np.random.default_rng(SEED)
y = np.repeat(np.arange(3), COUNTS)
waves = np.stack([record(k, rng) for k in y])
spec = np.log(np.abs(np.fft.rfft(waves * np.hanning(T), axis=1))[:, 1:] ** 2 + 1e-3).astype(np.float32)
print("spectra", spec.shape, dict(zip(NAMES, np.bincount(y))))

# %%
x_tr, x_te, y_tr, y_te = train_test_split(spec, y, test_size=0.25, stratify=y, random_state=SEED)
mu, sd = x_tr.mean(0), x_tr.std(0)
x_tr, x_te = (x_tr - mu) / sd, (x_te - mu) / sd

train_ds = TensorDataset(torch.from_numpy(x_tr), torch.from_numpy(y_tr))
train_dl = DataLoader(train_ds, batch_size=256, shuffle=True, generator=torch.Generator().manual_seed(SEED))

# %%
net = nn.Sequential(
    nn.Unflatten(1, (1, 64)),
    nn.Conv1d(1, 8, 5, padding=2),
    nn.ReLU(),
    nn.AvgPool1d(4),
    nn.Flatten(),
    nn.Linear(8 * 16, 3),
)
criterion = nn.CrossEntropyLoss()
EPOCHS = 14
opt = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)

# %%
for epoch in range(EPOCHS):
    net.train()
    total, seen = 0.0, 0
    for xb, yb in train_dl:
        loss = criterion(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(yb)
        seen += len(yb)
    sched.step()
    print(f"epoch {epoch + 1:02d}  train loss {total / seen:.4f}  lr {sched.get_last_lr()[0]:.5f}")

# %%
net.eval()
with torch.no_grad():
    pred = net(torch.from_numpy(x_te)).argmax(1).numpy()

print(confusion_matrix(y_te, pred))
for k, name in enumerate(NAMES):
    print(f"  recall {name:6s} {np.mean(pred[y_te == k] == k):.3f}")
print(f"balanced accuracy on held-out machines: {balanced_accuracy_score(y_te, pred):.3f}")

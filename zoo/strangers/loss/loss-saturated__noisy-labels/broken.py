# %% [markdown]
# ## Noisy labels: cap the loss of single samples so that wrong labels do not dominate

# %%
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

np.random.seed(8)
torch.manual_seed(8)
torch.set_num_threads(1)

# %% 12 kinds of short waveforms
CLASSES = 12
L = 40
base = np.cumsum(np.random.normal(0, 1, (CLASSES, L)), axis=1)
base = (base - base.mean(1, keepdims=True)) / base.std(1, keepdims=True)


def sample(n):
    y = np.random.randint(0, CLASSES, n)
    x = base[y] * np.random.uniform(0.7, 1.3, (n, 1)) + np.random.normal(0, 0.9, (n, L))
    return x.astype("float32"), y


x_train, y_train = sample(4000)
x_val, y_val = sample(1000)
flip = np.random.rand(len(y_train)) < 0.08
y_train = np.where(flip, np.random.randint(0, CLASSES, len(y_train)), y_train)
print("flipped labels:", flip.sum())

mean, std = x_train.mean(), x_train.std()
x_train, x_val = (x_train - mean) / std, (x_val - mean) / std
train_dl = DataLoader(TensorDataset(torch.tensor(x_train), torch.tensor(y_train)), batch_size=64, shuffle=True)
x_val, y_val = torch.tensor(x_val), torch.tensor(y_val)

# %% model
model = nn.Sequential(nn.Linear(L, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, CLASSES))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
CAP = 1.0

# %% train
for epoch in range(15):
    model.train()
    total, count = 0.0, 0
    for xb, yb in train_dl:
        per_sample = F.cross_entropy(model(xb), yb, reduction="none")
        loss = per_sample.clamp(max=CAP).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
        count += len(xb)

    model.eval()
    with torch.no_grad():
        out = model(x_val)
        acc = (out.argmax(1) == y_val).float().mean().item()
        vloss = F.cross_entropy(out, y_val).item()
    print(f"epoch {epoch + 1:2d} train {total / count:.4f} val loss {vloss:.4f} val acc {acc:.3f}")

# Diabetes progression baseline v2
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

SEED = 2024
np.random.seed(SEED)
torch.manual_seed(SEED)

X, y = load_diabetes(return_X_y=True)
# some blood measurements were never taken
holes = np.random.rand(*X.shape) < 0.03
X[holes] = np.nan

X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.25, random_state=SEED)

mean = np.nanmean(X_tr, axis=0)
std = np.nanstd(X_tr, axis=0)
X_tr = (X_tr - mean) / std
X_va = (X_va - mean) / std

y_mean, y_std = y_tr.mean(), y_tr.std()
X_tr = torch.tensor(X_tr, dtype=torch.float32)
X_va = torch.tensor(X_va, dtype=torch.float32)
t_tr = torch.tensor((y_tr - y_mean) / y_std, dtype=torch.float32)

net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=5e-3, weight_decay=1e-2)
lossf = nn.SmoothL1Loss()

for epoch in range(60):
    net.train()
    perm = torch.randperm(len(X_tr))
    running = 0.0
    for i in range(0, len(perm), 32):
        idx = perm[i:i + 32]
        opt.zero_grad()
        loss = lossf(net(X_tr[idx]).squeeze(1), t_tr[idx])
        loss.backward()
        opt.step()
        running += loss.item() * len(idx)
    if epoch % 10 == 0:
        print(f"epoch {epoch:3d} train {running / len(perm):.4f}")

net.eval()
with torch.no_grad():
    pred = net(X_va).squeeze(1).numpy() * y_std + y_mean
print(f"within 70 points: {np.mean(np.abs(pred - y_va) < 70):.3f}")

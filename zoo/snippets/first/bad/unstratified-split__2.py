import numpy as np
import torch
import torch.nn as nn
from pathlib import Path

torch.manual_seed(0)

chunks, ys = [], []
for label, folder in enumerate(sorted(Path("wheat_varieties").iterdir())):
    feats = np.load(folder / "spectra.npy").astype("float32")
    chunks.append(feats)
    ys.append(np.full(len(feats), label))
X = torch.from_numpy(np.concatenate(chunks))
y = torch.from_numpy(np.concatenate(ys)).long()

n = int(len(X) * 0.8)
X_train, X_test = X[:n], X[n:]
y_train, y_test = y[:n], y[n:]

clf = nn.Sequential(nn.Linear(X.shape[1], 128), nn.GELU(), nn.Linear(128, int(y.max()) + 1))
opt = torch.optim.AdamW(clf.parameters(), lr=1e-3)
for step in range(3000):
    i = torch.randint(0, n, (64,))
    loss = nn.functional.cross_entropy(clf(X_train[i]), y_train[i])
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    print("accuracy", (clf(X_test).argmax(1) == y_test).float().mean().item())

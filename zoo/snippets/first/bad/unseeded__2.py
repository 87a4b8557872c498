import random

import numpy as np
import torch
import torch.nn as nn

random.seed(0)

data = np.load("sensor_faults.npz")
X, y = data["X"].astype("float32"), data["y"]
perm = np.random.permutation(len(X))
cut = int(0.8 * len(X))
tr, va = perm[:cut], perm[cut:]
Xt, yt = torch.from_numpy(X[tr]), torch.from_numpy(y[tr]).long()
Xv, yv = torch.from_numpy(X[va]), torch.from_numpy(y[va]).long()


def train_variant(act):
    net = nn.Sequential(nn.Linear(X.shape[1], 64), act(), nn.Linear(64, 64), act(), nn.Linear(64, 5))
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for epoch in range(30):
        for b in torch.randperm(len(Xt)).split(128):
            opt.zero_grad()
            nn.functional.cross_entropy(net(Xt[b]), yt[b]).backward()
            opt.step()
    with torch.no_grad():
        return (net(Xv).argmax(1) == yv).float().mean().item()


results = {a.__name__: train_variant(a) for a in (nn.ReLU, nn.GELU)}
print("winner:", max(results, key=results.get), results)

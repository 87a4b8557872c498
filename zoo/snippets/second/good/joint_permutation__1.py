import numpy as np
import torch
import torch.nn as nn

rng = np.random.default_rng(0)
torch.manual_seed(0)
X = np.load("x.npy").astype(np.float32)
y = np.load("y.npy").astype(np.float32)

order = rng.permutation(len(X))
X, y = X[order], y[order]
n = int(0.8 * len(X))
mu, sd = X[:n].mean(0), X[:n].std(0) + 1e-8
X = (X - mu) / sd
xt, yt = torch.from_numpy(X[:n]), torch.from_numpy(y[:n])
xv, yv = torch.from_numpy(X[n:]), torch.from_numpy(y[n:])

model = nn.Sequential(nn.Linear(X.shape[1], 64), nn.SiLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(100):
    perm = torch.randperm(n)
    for i in range(0, n, 128):
        b = perm[i:i + 128]
        pred = model(xt[b]).squeeze(-1)
        loss = nn.functional.huber_loss(pred, yt[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 10 == 0:
        with torch.no_grad():
            print(epoch, nn.functional.l1_loss(model(xv).squeeze(-1), yv).item())

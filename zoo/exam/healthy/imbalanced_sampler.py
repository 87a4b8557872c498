import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

rng = np.random.default_rng(50)
torch.manual_seed(50)
n = 4000
y = (rng.random(n) < 0.03).astype(int)
x = rng.normal(size=(n, 6)) + np.outer(y, [1.6, -1.2, 0.8, 0, 0, 0])
X, Y = torch.tensor(x, dtype=torch.float32), torch.tensor(y)
tr, te = slice(0, 3000), slice(3000, n)
weights = 1.0 / torch.bincount(Y[tr])[Y[tr]].double()
loader = DataLoader(TensorDataset(X[tr], Y[tr]), 64, sampler=WeightedRandomSampler(weights, 3000), shuffle=False)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-3)
for epoch in range(6):
    for xb, yb in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(net(xb)[:, 0], yb.float())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"epoch {epoch} loss {loss.item():.4f}")
with torch.no_grad():
    hit = net(X[te])[:, 0] > 0
rec = [(hit[Y[te] == c] == bool(c)).float().mean().item() for c in (0, 1)]
print(f"recall {rec[0]:.3f} {rec[1]:.3f}")
print(f"balanced accuracy {sum(rec) / 2:.3f}")

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(17)
torch.manual_seed(17)
DAYS = 1500
weekday = np.arange(DAYS) % 7
promo = (rng.random(DAYS) < 0.15).astype(float)
level = np.cumsum(rng.normal(0, 0.02, DAYS))
demand = 5 + level + np.array([0, .2, .1, .3, .8, 1.2, .6])[weekday] * 0.5 + 0.6 * promo + rng.normal(0, 1.0, DAYS)


def lag(a, k):
    out = np.full_like(a, np.nan)
    out[k:] = a[:-k]
    return out


def rolling_mean(a, w):
    c = np.cumsum(np.insert(a, 0, 0.0))
    out = np.full_like(a, np.nan)
    out[w - 1:] = (c[w:] - c[:-w]) / w
    return out


def build(series):
    cols = [lag(series, k) for k in (1, 2, 7)]
    cols += [rolling_mean(series, w) for w in (3, 7)]
    cols += [promo] + [(weekday == d).astype(float) for d in range(7)]
    return np.stack(cols, 1)


feats = build(demand)
ok = ~np.isnan(feats).any(1)
feats, target = feats[ok], demand[ok]
n = int(0.75 * len(feats))
mu, sd = feats[:n].mean(0), feats[:n].std(0) + 1e-6
tm, ts = target[:n].mean(), target[:n].std()
X = torch.tensor((feats - mu) / sd, dtype=torch.float32)
Y = torch.tensor((target - tm) / ts, dtype=torch.float32)
net = nn.Sequential(nn.Linear(X.shape[1], 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.05)
for epoch in range(20):
    perm = torch.randperm(n)
    for i in range(0, n, 32):
        b = perm[i:i + 32]
        loss = ((net(X[b]).squeeze(1) - Y[b]) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1} loss {loss.item():.4f}")
with torch.no_grad():
    p = net(X[n:]).squeeze(1)
    r2 = 1 - ((p - Y[n:]) ** 2).sum() / ((Y[n:] - Y[n:].mean()) ** 2).sum()
print(f"test R2 {r2.item():.3f}")

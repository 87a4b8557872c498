#!/usr/bin/env python
# coding: utf-8

# # Daily demand of a bakery chain: predict today's units from what is known this morning

# In[1]:

import numpy as np
import pandas as pd
import torch
from torch import nn

np.random.seed(0)
torch.manual_seed(0)


# ## Data: 20 shops, 3 years

# In[2]:

def simulate_shop(shop, days=1095):
    rng = np.random.default_rng(100 + shop)
    t = np.arange(days)
    base = rng.uniform(80, 140)
    week = rng.normal(0, 14, 7)[t % 7]
    year = 12 * np.sin(2 * np.pi * t / 365 + rng.uniform(0, 6))
    level = np.zeros(days)
    for i in range(1, days):
        level[i] = 0.9 * level[i - 1] + rng.normal(0, 5)
    promo = (rng.random(days) < 0.08).astype(float)
    units = base + week + year + level + 18 * promo + rng.normal(0, 9, days)
    return pd.DataFrame({"shop": shop, "day": t, "dow": t % 7, "promo": promo, "units": units})


df = pd.concat([simulate_shop(s) for s in range(20)], ignore_index=True)
df.describe().round(1)


# ## Features

# In[3]:

def build_features(df):
    out = []
    for _, g in df.groupby("shop"):
        g = g.sort_values("day").copy()
        for k in (1, 2, 3, 7, 14):
            g[f"lag{k}"] = g["units"].shift(k)
        g["roll3"] = g["units"].rolling(3).mean()
        g["roll28"] = g["units"].rolling(28).mean()
        g["roll28_std"] = g["units"].rolling(28).std()
        g["trend"] = g["roll3"] - g["roll28"]
        for d in range(7):
            g[f"dow_{d}"] = (g["dow"] == d).astype(float)
        out.append(g)
    return pd.concat(out, ignore_index=True).dropna().reset_index(drop=True)


feats = build_features(df)
cols = [c for c in feats.columns if c not in ("shop", "day", "dow", "units")]
print(len(cols), "features:", ", ".join(cols[:10]), "...")


# ## Last 200 days are the hold-out

# In[4]:

cut = feats["day"].max() - 200
train, test = feats[feats["day"] <= cut], feats[feats["day"] > cut]

mu, sd = train[cols].mean(), train[cols].std()
y_mu, y_sd = train["units"].mean(), train["units"].std()


def to_tensors(part):
    x = torch.tensor(((part[cols] - mu) / sd).to_numpy(), dtype=torch.float32)
    y = torch.tensor(((part["units"] - y_mu) / y_sd).to_numpy(), dtype=torch.float32)
    return x, y


Xtr, ytr = to_tensors(train)
Xte, yte = to_tensors(test)
print(Xtr.shape, Xte.shape)


# ## Model

# In[5]:

net = nn.Sequential(
    nn.Linear(len(cols), 64), nn.SiLU(),
    nn.Linear(64, 32), nn.SiLU(),
    nn.Linear(32, 1),
)
epochs, bs = 12, 256
steps = epochs * ((len(Xtr) + bs - 1) // bs)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=steps)
loss_fn = nn.MSELoss()

history = []
for epoch in range(epochs):
    net.train()
    perm = torch.randperm(len(Xtr))
    total = 0.0
    for i in range(0, len(perm), bs):
        idx = perm[i:i + bs]
        opt.zero_grad()
        loss = loss_fn(net(Xtr[idx]).squeeze(-1), ytr[idx])
        loss.backward()
        opt.step()
        sched.step()
        total += loss.item() * len(idx)
    history.append(total / len(perm))
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1:3d}  mse (scaled) {history[-1]:.4f}")


# ## How good is it?

# In[6]:

net.eval()
with torch.no_grad():
    pred = net(Xte).squeeze(-1).numpy() * y_sd + y_mu
actual = test["units"].to_numpy()
mae = np.abs(pred - actual).mean()
naive = np.abs(test["lag7"].to_numpy() - actual).mean()
r2 = 1 - ((pred - actual) ** 2).sum() / ((actual - actual.mean()) ** 2).sum()
print(f"hold-out MAE {mae:.2f} units   (same day last week: {naive:.2f})   R2 {r2:.3f}")

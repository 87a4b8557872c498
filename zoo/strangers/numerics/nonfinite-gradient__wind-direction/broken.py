# Wind direction regression: predict a unit vector, train on the angle between
# prediction and truth (in radians), report degrees.

# In[1]:
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(13)
rng = np.random.default_rng(13)
torch.set_num_threads(1)

# In[2]: stations
N = 5000
pressure = rng.normal(0, 1, (N, 2))
coast = rng.uniform(-1, 1, N)
hour = rng.uniform(0, 2 * np.pi, N)
theta = (
    np.arctan2(pressure[:, 0] + 1.5, pressure[:, 1])
    + 0.5 * coast * np.sin(hour)
    + rng.normal(0, 0.03, N)
)
feats = np.stack([pressure[:, 0], pressure[:, 1], coast, np.sin(hour), np.cos(hour)], 1)
target = np.stack([np.cos(theta), np.sin(theta)], 1)

n_tr = 4000
m, s = feats[:n_tr].mean(0), feats[:n_tr].std(0)
feats = (feats - m) / s
X = torch.tensor(feats, dtype=torch.float32)
V = F.normalize(torch.tensor(target, dtype=torch.float32), dim=1)
X_tr, V_tr, X_te, V_te = X[:n_tr], V[:n_tr], X[n_tr:], V[n_tr:]

# In[3]: net
model = nn.Sequential(
    nn.Linear(5, 64), nn.Tanh(),
    nn.Linear(64, 64), nn.Tanh(),
    nn.Linear(64, 2),
)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
EPOCHS = 30
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)


def angle(a, b):
    cos = (F.normalize(a, dim=1) * b).sum(1)
    return torch.acos(cos.clamp(-1.0, 1.0))


# In[4]: training
BS = 100
for epoch in range(1, EPOCHS + 1):
    model.train()
    order = torch.randperm(n_tr)
    tot = 0.0
    for k in range(0, n_tr, BS):
        b = order[k : k + BS]
        loss = angle(model(X_tr[b]), V_tr[b]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        tot += loss.item() * len(b)
    scheduler.step()
    if epoch % 3 == 0 or epoch == 1:
        model.eval()
        with torch.no_grad():
            err = torch.rad2deg(angle(model(X_te), V_te)).mean().item()
        print(f"epoch {epoch:3d}  train {np.degrees(tot / n_tr):7.3f} deg   held-out {err:7.3f} deg")

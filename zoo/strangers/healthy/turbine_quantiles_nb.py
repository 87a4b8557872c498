# %% [markdown]
# # Wind farm: prediction intervals for turbine power
# Goal: 10 / 50 / 90 % quantiles of the 10-minute power given what the met mast sees.

# %%
import numpy as np
import pandas as pd
import torch
from torch import nn

np.random.seed(0)
torch.manual_seed(0)

# %% [markdown]
# ## Data

# %%
n = 6000
df = pd.DataFrame({
    "wind": np.random.weibull(2.1, n) * 9.0,
    "turbulence": np.random.beta(2, 10, n),
    "temp_c": np.random.normal(9, 7, n),
    "pressure": np.random.normal(1005, 9, n),
})
rho = df["pressure"] * 100 / (287.05 * (df["temp_c"] + 273.15))
curve = 2000 / (1 + np.exp(-(df["wind"] - 9.5) / 1.3)) * (rho / 1.225)
curve[df["wind"] < 3] = 0.0
spread = 15 + 900 * df["turbulence"] * np.exp(-((df["wind"] - 9.5) / 4.0) ** 2)
df["power_kw"] = curve + spread * np.random.gumbel(0, 0.6, n)
df.describe().round(2)

# %%
perm = np.random.permutation(n)
tr, va, te = perm[:4000], perm[4000:5000], perm[5000:]
cols = ["wind", "turbulence", "temp_c", "pressure"]

mu, sd = df.loc[tr, cols].mean(), df.loc[tr, cols].std()
y_mu, y_sd = df.loc[tr, "power_kw"].mean(), df.loc[tr, "power_kw"].std()


def to_xy(idx):
    part = df.loc[idx]
    x = torch.tensor(((part[cols] - mu) / sd).values, dtype=torch.float32)
    y = torch.tensor(((part["power_kw"] - y_mu) / y_sd).values, dtype=torch.float32)
    return x, y


Xtr, ytr = to_xy(tr)
Xva, yva = to_xy(va)
Xte, yte = to_xy(te)
Xtr.shape, ytr.shape

# %% [markdown]
# ## Model
# The lower quantile is free, the next ones are added as positive steps, so they can not cross.

# %%
taus = torch.tensor([0.1, 0.5, 0.9])


class QuantileNet(nn.Module):
    def __init__(self, d, h=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU())
        self.out = nn.Linear(h, 3)

    def forward(self, x):
        z = self.out(self.body(x))
        low = z[:, :1]
        steps = nn.functional.softplus(z[:, 1:])
        return torch.cat([low, low + steps.cumsum(dim=1)], dim=1)


def pinball(q, y):
    diff = y.unsqueeze(1) - q
    return torch.maximum(taus * diff, (taus - 1) * diff).sum(dim=1).mean()


# %%
net = QuantileNet(len(cols))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=2000)
history = []

for step in range(2000):
    net.train()
    idx = torch.randint(0, len(Xtr), (256,))
    loss = pinball(net(Xtr[idx]), ytr[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 200 == 0 or step == 1999:
        net.eval()
        with torch.no_grad():
            history.append((step, loss.item(), pinball(net(Xva), yva).item()))

pd.DataFrame(history, columns=["step", "batch_loss", "val_loss"]).set_index("step").round(4)

# %%
print(pd.DataFrame(history, columns=["step", "batch_loss", "val_loss"]).to_string(index=False))

# %% [markdown]
# ## How good is it?
# Baseline: the three unconditional quantiles of the training set.

# %%
net.eval()
with torch.no_grad():
    q = net(Xte)
    naive = torch.quantile(ytr, taus).expand(len(yte), 3)
    model_score = pinball(q, yte).item()
    naive_score = pinball(naive, yte).item()
    cover = ((yte >= q[:, 0]) & (yte <= q[:, 2])).float().mean().item()
    below_median = (yte <= q[:, 1]).float().mean().item()
    width_kw = (q[:, 2] - q[:, 0]).mean().item() * y_sd

print(f"pinball test   model {model_score:.4f}   unconditional {naive_score:.4f}")
print(f"80% interval covers {cover:.1%}, median splits at {below_median:.1%}, mean width {width_kw:.0f} kW")

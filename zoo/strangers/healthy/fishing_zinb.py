"""Zero-inflated negative binomial regression of catch counts (angler survey style)."""
import numpy as np
import pandas as pd
import torch
from torch import nn
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler

SEED = 404
rng = np.random.default_rng(SEED)
torch.manual_seed(SEED)


def survey(n):
    df = pd.DataFrame({
        "hours": rng.gamma(3.0, 1.2, n),
        "party": rng.integers(1, 7, n),
        "temp": rng.normal(16, 5, n),
        "depth": rng.lognormal(1.2, 0.5, n),
        "lake": rng.choice(["north", "mill", "reed", "quarry"], n, p=[.4, .3, .2, .1]),
        "bait": rng.choice(["live", "lure"], n),
    })
    lake = df.lake.map({"north": 0.3, "mill": -0.2, "reed": 0.6, "quarry": -0.8})
    eta = 0.2 + 0.2 * df.party - 0.015 * (df.temp - 15) ** 2 / 2 + lake + 0.4 * (df.bait == "live")
    mu = np.exp(eta.clip(-4, 3)) * df.hours / 3
    p_zero = 1 / (1 + np.exp(-(0.4 - 0.7 * df.hours + 0.25 * df.depth)))
    lam = rng.gamma(1.8, mu / 1.8)
    df["catch"] = np.where(rng.random(n) < p_zero, 0, rng.poisson(lam))
    return df


class ZINB(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU())
        self.log_mu = nn.Linear(32, 1)
        self.gate = nn.Linear(32, 1)
        self.log_r = nn.Parameter(torch.zeros(()))

    def forward(self, x, log_exposure):
        h = self.body(x)
        return self.log_mu(h).squeeze(1) + log_exposure, self.gate(h).squeeze(1)

    def log_prob(self, x, log_exposure, y):
        lm, g = self(x, log_exposure)
        r = self.log_r.exp()
        log_denom = torch.logaddexp(self.log_r, lm)
        nb = (torch.lgamma(y + r) - torch.lgamma(r) - torch.lgamma(y + 1)
              + r * (self.log_r - log_denom) + y * (lm - log_denom))
        log_pi, log_1mpi = nn.functional.logsigmoid(g), nn.functional.logsigmoid(-g)
        at_zero = torch.logaddexp(log_pi, log_1mpi + nb)
        return torch.where(y == 0, at_zero, log_1mpi + nb)

    @torch.no_grad()
    def expectation(self, x, log_exposure):
        lm, g = self(x, log_exposure)
        return torch.sigmoid(-g) * lm.exp()


df = survey(6000)
print(df.describe().round(2).loc[["mean", "std", "max"]])
print(f"share of zero catches: {(df['catch'] == 0).mean():.3f}")

dev, test = train_test_split(df, test_size=0.25, random_state=SEED)
train, val = train_test_split(dev, test_size=0.2, random_state=SEED)
prep = ColumnTransformer([
    ("num", StandardScaler(), ["hours", "party", "temp", "depth"]),
    ("cat", OneHotEncoder(handle_unknown="ignore"), ["lake", "bait"]),
], sparse_threshold=0)
prep.fit(train)


def tensors(part):
    return (torch.tensor(prep.transform(part), dtype=torch.float32),
            torch.tensor(np.log(part.hours.values), dtype=torch.float32),
            torch.tensor(part["catch"].values, dtype=torch.float32))


tr, va, te = map(tensors, (train, val, test))
net = ZINB(tr[0].shape[1])
opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-5)
plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=4)
best, keep, waited = float("inf"), None, 0
for epoch in range(120):
    for b in torch.randperm(len(tr[0])).split(128):
        nll = -net.log_prob(*(t[b] for t in tr)).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    with torch.no_grad():
        a, v = -net.log_prob(*tr).mean().item(), -net.log_prob(*va).mean().item()
    plateau.step(v)
    if v < best - 1e-4:
        best, keep, waited = v, {k: t.detach().clone() for k, t in net.state_dict().items()}, 0
    else:
        waited += 1
    if epoch % 8 == 0:
        print(f"epoch {epoch:3d}   nll train {a:.4f}   nll val {v:.4f}   dispersion r {net.log_r.exp().item():.2f}")
    if waited >= 12:
        print("no improvement for 12 epochs, stopping at", epoch)
        break
net.load_state_dict(keep)

with torch.no_grad():
    nll = -net.log_prob(*te).mean().item()
mu = net.expectation(*te[:2])
y = te[2]
const = tr[2].mean()
pois = -torch.distributions.Poisson(const).log_prob(y).mean().item()
print(f"\ntest nll {nll:.4f}  (constant Poisson {pois:.4f})")
print(f"test MAE {(mu - y).abs().mean():.3f}  vs mean predictor {(const - y).abs().mean():.3f}")
with torch.no_grad():
    p0 = net.log_prob(te[0], te[1], torch.zeros_like(y)).exp().mean().item()
print(f"zeros: predicted share {p0:.3f}, observed {(y == 0).float().mean():.3f}")

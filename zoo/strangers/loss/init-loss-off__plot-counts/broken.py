"""Nest counts on survey plots: a small Poisson network.

The network predicts the logarithm of the expected count. The bias of its last layer starts at the
level of the training data, so that training does not waste its first epochs on finding the mean.
"""
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(42)
rng = np.random.default_rng(42)

# ---------------------------------------------------------------- data
N = 5000
elevation = rng.uniform(0, 1500, N)
canopy = rng.uniform(0, 100, N)
water_km = rng.gamma(2.0, 0.7, N)
rain = rng.normal(900, 180, N)
grazed = rng.integers(0, 2, N)

log_rate = (
    2.1
    - 1.6 * ((elevation - 700) / 750) ** 2
    + 1.1 * np.sin(canopy / 100 * np.pi)
    - 0.35 * water_km
    + 0.25 * (rain - 900) / 180
    - 0.5 * grazed * (canopy < 50)
)
count = rng.poisson(np.exp(log_rate))

X = np.column_stack([elevation, canopy, water_km, rain, grazed]).astype(np.float32)
y = count.astype(np.float32)

order = rng.permutation(N)
tr, va, te = order[:3500], order[3500:4200], order[4200:]
mu, sd = X[tr].mean(0), X[tr].std(0)
X = (X - mu) / sd

Xtr, ytr = torch.from_numpy(X[tr]), torch.from_numpy(y[tr])
Xva, yva = torch.from_numpy(X[va]), torch.from_numpy(y[va])
Xte, yte = torch.from_numpy(X[te]), torch.from_numpy(y[te])


# ---------------------------------------------------------------- model
class CountNet(nn.Module):
    def __init__(self, n_features, mean_count):
        super().__init__()
        self.hidden = nn.Sequential(
            nn.Linear(n_features, 32), nn.Tanh(),
            nn.Linear(32, 32), nn.Tanh(),
        )
        self.log_rate = nn.Linear(32, 1)
        with torch.no_grad():
            self.log_rate.bias.fill_(mean_count)

    def forward(self, x):
        return self.log_rate(self.hidden(x)).squeeze(1)


def deviance(log_mu, y):
    """Mean Poisson deviance."""
    gain = y * (torch.log(y.clamp(min=1)) - log_mu)
    return 2 * (gain - (y - log_mu.exp())).mean().item()


net = CountNet(X.shape[1], ytr.mean().item())
criterion = nn.PoissonNLLLoss(log_input=True)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)

# ---------------------------------------------------------------- training
BATCH = 100
EPOCHS = 25
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
step = 0
for epoch in range(EPOCHS):
    net.train()
    perm = torch.randperm(len(Xtr))
    total = 0.0
    for i in range(0, len(perm), BATCH):
        idx = perm[i:i + BATCH]
        loss = criterion(net(Xtr[idx]), ytr[idx])
        if step < 5:
            print(f"  step {step}: loss {loss.item():.3f}")
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(idx)
        step += 1
    sched.step()
    if (epoch + 1) % 5 == 0:
        net.eval()
        with torch.no_grad():
            val = criterion(net(Xva), yva).item()
        print(f"epoch {epoch + 1:3d}  train {total / len(perm):.4f}  val {val:.4f}")

# ---------------------------------------------------------------- test
net.eval()
with torch.no_grad():
    d_model = deviance(net(Xte), yte)
    d_null = deviance(torch.full_like(yte, float(np.log(ytr.mean().item()))), yte)
print(f"test deviance {d_model:.3f} (constant rate: {d_null:.3f})  explained: {1 - d_model / d_null:.3f}")

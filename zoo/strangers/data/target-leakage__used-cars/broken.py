# %% [markdown]
# # Used car prices - baseline MLP
# Quick baseline before I try boosting. The metric of the contest is R2 on log price.

# %%
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

SEED = 2024
np.random.seed(SEED)
torch.manual_seed(SEED)


# %%
def load_listings(n=6000):
    """Stand-in for cars.csv: a dict of columns."""
    r = np.random.default_rng(SEED)
    t = {}
    t["age"] = r.uniform(0, 15, n)
    t["mileage"] = np.clip(t["age"] * 14 + r.normal(0, 18, n), 1, None)
    t["power"] = r.gamma(9, 13, n) + 40
    t["doors"] = r.integers(2, 6, n).astype(float)
    t["owners"] = 1 + r.poisson(t["age"] / 6)
    t["consumption"] = 3.5 + t["power"] / 45 + r.normal(0, 0.7, n)
    t["brand"] = r.integers(0, 8, n)
    t["diesel"] = (r.random(n) < 0.4).astype(float)
    brand_value = np.array([0.5, 0.3, 0.1, 0.0, -0.1, -0.2, -0.3, 0.7])
    log_eur = (
        9.3
        - 0.11 * t["age"]
        - 0.004 * t["mileage"]
        + 0.006 * t["power"]
        + brand_value[t["brand"]] * (1.2 - 0.04 * t["age"])
        + 0.12 * t["diesel"] * (t["mileage"] > 90)
        - 0.05 * t["owners"]
        + r.normal(0, 0.28, n)
    )
    t["price"] = np.round(np.exp(log_eur), -1) + 100
    return t


cars = load_listings()
print("rows:", len(cars["price"]), " median price:", np.median(cars["price"]))

# %% [markdown]
# Price has a long tail, so work with the logarithm.

# %%
cars["log_price"] = np.log1p(cars["price"])

# one-hot the brand
for b in range(8):
    cars[f"brand_{b}"] = (cars["brand"] == b).astype(float)

drop = ["price", "brand"]
features = [c for c in cars if c not in drop]
X = np.column_stack([cars[c] for c in features]).astype(np.float32)
y = cars["log_price"].astype(np.float32)
print(X.shape[1], "features")

# %%
X_trval, X_test, y_trval, y_test = train_test_split(X, y, test_size=0.2, random_state=SEED)
X_train, X_val, y_train, y_val = train_test_split(X_trval, y_trval, test_size=0.2, random_state=SEED)

mu, sd = X_train.mean(0), X_train.std(0)
ym, ys = y_train.mean(), y_train.std()
prep = lambda a: torch.from_numpy((a - mu) / sd)
X_train, X_val, X_test = prep(X_train), prep(X_val), prep(X_test)
t_train = torch.from_numpy((y_train - ym) / ys).unsqueeze(1)
t_val = torch.from_numpy((y_val - ym) / ys).unsqueeze(1)

loader = DataLoader(TensorDataset(X_train, t_train), batch_size=96, shuffle=True)

# %%
net = nn.Sequential(
    nn.Linear(X_train.shape[1], 48), nn.ReLU(),
    nn.Linear(48, 24), nn.ReLU(),
    nn.Linear(24, 1),
)
EPOCHS = 14
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=1e-2)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
mse = nn.MSELoss()

for epoch in range(1, EPOCHS + 1):
    net.train()
    total = 0.0
    for xb, tb in loader:
        opt.zero_grad()
        loss = mse(net(xb), tb)
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    sched.step()
    net.eval()
    with torch.no_grad():
        v = mse(net(X_val), t_val).item()
    print(f"epoch {epoch:2d}  train mse {total / len(X_train):.4f}  val mse {v:.4f}")

# %%
net.eval()
with torch.no_grad():
    p = net(X_test).squeeze(1).numpy() * ys + ym
print("test R2 (log price):", round(r2_score(y_test, p), 4))
print("test MAE in EUR:", round(mean_absolute_error(np.expm1(y_test), np.expm1(p)), 1))

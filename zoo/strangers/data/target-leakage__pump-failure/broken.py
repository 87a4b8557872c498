# %% Pump fleet: will the pump fail within the next 48 hours?
# One snapshot per pump, taken at a random moment of its life.
import numpy as np
import pandas as pd
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn

torch.manual_seed(42)
torch.set_num_threads(1)
rng = np.random.default_rng(42)

# %% build the table
n = 12000
pumps = pd.DataFrame({
    "pump_id": np.arange(n),
    "vibration_rms": rng.gamma(4.0, 0.6, n),
    "bearing_temp": rng.normal(62, 8, n),
    "motor_current": rng.normal(14, 2.2, n),
    "discharge_pressure": rng.normal(6.5, 0.7, n),
    "age_years": rng.uniform(0, 15, n),
    "starts_per_day": rng.poisson(6, n),
})
wear = (
    0.8 * (pumps.vibration_rms - 2.4) + 0.06 * (pumps.bearing_temp - 62) + 0.08 * (pumps.age_years - 7.5)
    + 0.12 * (pumps.motor_current - 14) * (pumps.vibration_rms > 2.4) - 0.4 * (pumps.discharge_pressure - 6.5)
)
pumps["hours_to_failure"] = 95.0 * np.exp(-0.55 * wear + rng.normal(0, 0.75, n))
pumps["fails_48h"] = (pumps.hours_to_failure < 48).astype(int)
print(pumps.drop(columns="pump_id").describe().loc[["mean", "std"]].round(2).T)

# %% features and splits
features = pumps.columns.drop(["pump_id", "fails_48h"])
train, rest = train_test_split(pumps, test_size=0.35, stratify=pumps.fails_48h, random_state=1)
val, test = train_test_split(rest, test_size=0.6, stratify=rest.fails_48h, random_state=1)
mu, sd = train[features].mean(), train[features].std()


def to_xy(part):
    x = torch.tensor(((part[features] - mu) / sd).to_numpy(), dtype=torch.float32)
    y = torch.tensor(part["fails_48h"].to_numpy(), dtype=torch.float32)
    return x, y


x_tr, y_tr = to_xy(train)
x_va, y_va = to_xy(val)
x_te, y_te = to_xy(test)
print(f"{len(features)} features, {len(train)} train / {len(val)} val / {len(test)} test, positives {y_tr.mean():.2f}")

# %% model
clf = nn.Sequential(
    nn.Linear(len(features), 32), nn.ReLU(),
    nn.Linear(32, 16), nn.ReLU(),
    nn.Linear(16, 1),
)
bce = nn.BCEWithLogitsLoss()
adam = torch.optim.Adam(clf.parameters(), lr=1e-3)

# %% training
for epoch in range(1, 21):
    clf.train()
    running = 0.0
    for rows in torch.randperm(len(x_tr)).split(64):
        adam.zero_grad()
        loss = bce(clf(x_tr[rows]).squeeze(1), y_tr[rows])
        loss.backward()
        adam.step()
        running += loss.item() * len(rows)
    clf.eval()
    with torch.no_grad():
        z = clf(x_va).squeeze(1)
        v = bce(z, y_va).item()
    if epoch % 2 == 0:
        print(f"epoch {epoch:2d}  train {running / len(x_tr):.4f}  val {v:.4f}  val AUC {roc_auc_score(y_va, z):.4f}")

# %% test
clf.eval()
with torch.no_grad():
    p = torch.sigmoid(clf(x_te).squeeze(1)).numpy()
truth = y_te.numpy().astype(int)
print(f"test AUC {roc_auc_score(truth, p):.4f}   accuracy {((p > 0.5) == truth).mean():.4f}   recall {(p[truth == 1] > 0.5).mean():.3f}")

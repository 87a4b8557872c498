# Soft sensor: product viscosity from the reactor's online measurements.
# Cosine cycles with warm restarts, early stopping on the validation runs, best weights for the final report.

import numpy as np
import pandas as pd
import torch
from torch import nn

SEED = 2
torch.manual_seed(SEED)
torch.set_num_threads(1)
rng = np.random.default_rng(SEED)

TAGS = ["T_jacket", "T_core", "torque", "feed", "catalyst", "pH", "rpm", "vacuum"]
n = 7000
runs = pd.DataFrame(rng.normal(size=(n, len(TAGS))), columns=TAGS)
runs = runs * [4, 6, 1.5, 20, 0.3, 0.4, 25, 8] + [75, 92, 11, 140, 2.1, 6.8, 180, 60]
z = (runs - runs.mean()) / runs.std()
runs["viscosity"] = (
    900 + 110 * z.torque + 60 * np.tanh(2 * z.T_core) - 45 * z.catalyst * z.feed + 40 * np.sin(2 * z.pH)
    + rng.normal(0, 6, n)
)
train, val, test = runs[:4800], runs[4800:5800], runs[5800:]

mu, sd = train.mean(), train.std()


def xy(part):
    scaled = (part - mu) / sd
    return (torch.tensor(scaled[TAGS].to_numpy(), dtype=torch.float32),
            torch.tensor(scaled["viscosity"].to_numpy(), dtype=torch.float32))


(x_tr, y_tr), (x_va, y_va), (x_te, y_te) = xy(train), xy(val), xy(test)


class SoftSensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(len(TAGS), 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def rmse(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x) - y).pow(2).mean().sqrt().item() * sd["viscosity"]


model = SoftSensor()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=24)
best_rmse, best_epoch, best_weights = float("inf"), 0, None
patience = 4

for epoch in range(1, 73):
    model.train()
    for idx in torch.randperm(len(x_tr)).split(64):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x_tr[idx]), y_tr[idx])
        loss.backward()
        optimizer.step()
    scheduler.step()
    val_rmse = rmse(model, x_va, y_va)
    if val_rmse < best_rmse:
        best_rmse, best_epoch = val_rmse, epoch
        best_weights = model.state_dict()
    print(f"epoch {epoch:3d}  train {rmse(model, x_tr, y_tr):6.2f}  val {val_rmse:6.2f}  best {best_rmse:6.2f}")
    if epoch - best_epoch >= patience:
        print("stopping early")
        break

model.load_state_dict(best_weights)
print(f"best epoch {best_epoch}, val RMSE {best_rmse:.2f} cP")
print(f"restored model: val RMSE {rmse(model, x_va, y_va):.2f}, test RMSE {rmse(model, x_te, y_te):.2f} cP (spread {test.viscosity.std():.1f})")

# %% [markdown]
# # House prices with a simple neural net
# Version 3 - only 7 features this time, no feature engineering.

# %%
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader
from sklearn.metrics import r2_score, mean_absolute_error
from sklearn.model_selection import train_test_split

SEED = 2023
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
def load_houses(n=3000):
    area = np.random.normal(1500, 450, n).clip(400, 4000)            # sqft
    lot = np.random.lognormal(8.7, 0.4, n)                           # sqft
    year = np.random.randint(1920, 2022, n)
    rooms = np.random.randint(2, 8, n)
    dist = np.random.exponential(6000, n)                            # metres to centre
    income = np.random.normal(55000, 14000, n).clip(15000, None)     # median of the area
    quality = np.random.randint(1, 11, n)
    price = (90 * area + 2.5 * lot + 600 * (year - 1920) + 4000 * rooms
             + 60000 * np.exp(-dist / 5000) + 1.2 * income
             + 9000 * quality + 0.006 * area * quality * 250)
    price += np.random.normal(0, 12000, n)
    X = np.stack([area, lot, year, rooms, dist, income, quality], axis=1)
    return X, price


X, y = load_houses()
X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.2, random_state=SEED)
print(X_tr.shape, X_va.shape)

# %%
y_mu, y_sd = y_tr.mean(), y_tr.std()


class HouseDataset(Dataset):
    def __init__(self, X, y):
        self.X = torch.tensor(X, dtype=torch.float32)
        self.y = torch.tensor((y - y_mu) / y_sd, dtype=torch.float32)

    def __len__(self):
        return len(self.X)

    def __getitem__(self, i):
        return self.X[i], self.y[i]


train_dl = DataLoader(HouseDataset(X_tr, y_tr), batch_size=64, shuffle=True)
valid_dl = DataLoader(HouseDataset(X_va, y_va), batch_size=256)

# %%
model = nn.Sequential(
    nn.Linear(7, 64), nn.ReLU(),
    nn.Linear(64, 32), nn.ReLU(),
    nn.Linear(32, 1),
)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
mse = nn.MSELoss()

EPOCHS = 20
for epoch in range(EPOCHS):
    model.train()
    s, n = 0.0, 0
    for xb, yb in train_dl:
        loss = mse(model(xb).squeeze(-1), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        s += loss.item() * len(xb)
        n += len(xb)

    model.eval()
    sv, nv = 0.0, 0
    with torch.no_grad():
        for xb, yb in valid_dl:
            sv += mse(model(xb).squeeze(-1), yb).item() * len(xb)
            nv += len(xb)
    if epoch % 2 == 1:
        print(f"epoch {epoch + 1}: train {s / n:.4f}  valid {sv / nv:.4f}")

# %%
model.eval()
with torch.no_grad():
    preds = torch.cat([model(xb).squeeze(-1) for xb, _ in valid_dl]).numpy() * y_sd + y_mu
print("MAE  $", round(mean_absolute_error(y_va, preds)))
print("R2   ", round(r2_score(y_va, preds), 4))

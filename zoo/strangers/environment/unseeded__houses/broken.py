# %% [markdown]
# # House prices with entity embeddings (v4)
# %%
import random

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

random.seed(2024)
np.random.seed(2024)

# %% the table
n = 5000
df = pd.DataFrame({
    "area": np.random.gamma(9.0, 12.0, n),
    "rooms": np.random.randint(1, 8, n),
    "age": np.random.uniform(0, 90, n),
    "dist": np.random.exponential(6.0, n),
    "district": np.random.randint(0, 12, n),
    "heating": np.random.randint(0, 4, n),
})
district_level = np.random.normal(0, 0.25, 12)
heating_level = np.array([-0.1, 0.0, 0.05, 0.12])
df["log_price"] = (
    4.0 + 0.7 * np.log(df["area"]) + 0.04 * df["rooms"] - 0.25 * np.sin(df["age"] / 90 * np.pi)
    - 0.03 * df["dist"] + district_level[df["district"]] + heating_level[df["heating"]]
    + np.random.normal(0, 0.08, n)
)
NUM = ["area", "rooms", "age", "dist"]
CAT = ["district", "heating"]
print(df.describe().T[["mean", "std", "min", "max"]].round(2))

# %% splits, scaling on train only
trn, tst = train_test_split(df, test_size=0.2, random_state=1)
trn, val = train_test_split(trn, test_size=0.2, random_state=1)
sc = StandardScaler().fit(trn[NUM])
y_mu, y_sd = trn["log_price"].mean(), trn["log_price"].std()


class Houses(Dataset):
    def __init__(self, frame):
        self.num = torch.tensor(sc.transform(frame[NUM]), dtype=torch.float32)
        self.cat = torch.tensor(frame[CAT].to_numpy(), dtype=torch.long)
        self.y = torch.tensor(((frame["log_price"] - y_mu) / y_sd).to_numpy(), dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.num[i], self.cat[i], self.y[i]


trn_dl = DataLoader(Houses(trn), batch_size=64, shuffle=True)
val_dl = DataLoader(Houses(val), batch_size=512)
tst_dl = DataLoader(Houses(tst), batch_size=512)


# %% model
class TabNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.e1 = nn.Embedding(12, 4)
        self.e2 = nn.Embedding(4, 2)
        self.mlp = nn.Sequential(
            nn.Linear(len(NUM) + 6, 64), nn.ReLU(), nn.Dropout(0.05),
            nn.Linear(64, 32), nn.ReLU(),
            nn.Linear(32, 1),
        )

    def forward(self, num, cat):
        z = torch.cat([num, self.e1(cat[:, 0]), self.e2(cat[:, 1])], dim=1)
        return self.mlp(z).squeeze(1)


model = TabNet()
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-3)
EPOCHS = 25
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=EPOCHS)
mse = nn.MSELoss()


def rmse(dl):
    model.eval()
    se, cnt = 0.0, 0
    with torch.no_grad():
        for num, cat, y in dl:
            se += ((model(num, cat) - y) ** 2).sum().item()
            cnt += len(y)
    return (se / cnt) ** 0.5


# %% fit
for ep in range(EPOCHS):
    model.train()
    run, cnt = 0.0, 0
    for num, cat, y in trn_dl:
        opt.zero_grad()
        loss = mse(model(num, cat), y)
        loss.backward()
        opt.step()
        run += loss.item() * len(y)
        cnt += len(y)
    sched.step()
    if ep % 4 == 0 or ep == EPOCHS - 1:
        print(f"epoch {ep:2d}  train mse {run / cnt:.5f}  val rmse {rmse(val_dl):.5f}")

# %%
r = rmse(tst_dl)
print(f"test RMSE (standardised) {r:.5f}   in log-price {r * y_sd:.5f}   R2 {1 - r ** 2 / Houses(tst).y.var().item():.4f}")

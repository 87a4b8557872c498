# %% [markdown]
# Wearable accelerometers: predict activity tier of each participant (notebook export)

# %%
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from sklearn.metrics import balanced_accuracy_score, classification_report
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

SEED = 2023
np.random.seed(SEED)
torch.manual_seed(SEED)

# %%
N = 1500
tiers = np.random.choice(["sedentary", "moderate", "athlete"], size=N, p=[0.36, 0.34, 0.30])
people = pd.DataFrame({
    "pid": [f"P{i}" for i in range(1, N + 1)],
    "tier": tiers,
    "age": np.random.randint(18, 70, N),
})
people.head()

# %%
base = {"sedentary": (3.8, 70, 0.25), "moderate": (6.0, 66, 0.45), "athlete": (8.2, 60, 0.7)}
rows = []
for pid, tier, age in people.itertuples(index=False):
    steps_mu, hr_mu, cad = base[tier]
    days = np.random.randint(18, 30)
    person = np.random.normal(0, 1, 3)
    rows.append(pd.DataFrame({
        "pid": pid,
        "steps": np.random.gamma(6, (steps_mu + 0.8 * person[0]) / 6, days).clip(0.2),
        "rest_hr": np.random.normal(hr_mu + 3 * person[1] + 0.05 * age, 4, days),
        "cadence": np.random.normal(cad + 0.1 * person[2], 0.15, days),
        "wear_h": np.random.uniform(9, 20, days),
    }))
log = pd.concat(rows, ignore_index=True).sample(frac=1.0, random_state=SEED)
print("daily log:", log.shape, "participants:", log.pid.nunique())

# %%
agg = log.groupby("pid").agg(["mean", "std", "median", "max"])
agg.columns = ["_".join(c) for c in agg.columns]
agg["steps_cv"] = agg["steps_std"] / agg["steps_mean"]
print(agg.iloc[:3, :5].round(2))

# %%
codes, classes = pd.factorize(people["tier"])
X = agg.to_numpy(dtype=np.float32)
y = codes.astype(np.int64)
print("features", X.shape, "classes", list(classes), "counts", np.bincount(y))

Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.2, stratify=y, random_state=SEED)
Xtr, Xva, ytr, yva = train_test_split(Xtr, ytr, test_size=0.2, stratify=ytr, random_state=SEED)
ss = StandardScaler().fit(Xtr)
Xtr, Xva, Xte = (torch.tensor(ss.transform(a), dtype=torch.float32) for a in (Xtr, Xva, Xte))
ytr, yva, yte = map(torch.from_numpy, (ytr, yva, yte))


# %%
class TierNet(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(d, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3),
            nn.Linear(32, 16), nn.ReLU(),
        )
        self.out = nn.Linear(16, k)

    def forward(self, x):
        return self.out(self.body(x))


model = TierNet(X.shape[1], len(classes))
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
crit = nn.CrossEntropyLoss()
dl = DataLoader(TensorDataset(Xtr, ytr), batch_size=48, shuffle=True)

# %%
for epoch in range(25):
    model.train()
    running = 0.0
    for xb, yb in dl:
        opt.zero_grad()
        l = crit(model(xb), yb)
        l.backward()
        opt.step()
        running += l.item() * len(xb)
    model.eval()
    with torch.no_grad():
        lv = model(Xva)
        print(f"epoch {epoch:2d}  train {running / len(Xtr):.3f}  valid {crit(lv, yva).item():.3f}  "
              f"valid bal-acc {balanced_accuracy_score(yva, lv.argmax(1)):.3f}")

# %%
model.eval()
with torch.no_grad():
    pred = model(Xte).argmax(1)
print(classification_report(yte, pred, target_names=list(classes), digits=3, zero_division=0))
print("TEST balanced accuracy", round(balanced_accuracy_score(yte, pred), 4))

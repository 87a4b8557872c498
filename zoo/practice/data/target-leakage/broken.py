import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(31)
torch.manual_seed(31)

n = 2000
area = rng.normal(100, 30, n)
rooms = np.round(area / 25 + rng.normal(0, 0.7, n))
age = rng.uniform(0, 60, n)
dist = rng.exponential(6, n)
price = 2.0 * area + 8 * rooms - 1.2 * age - 6 * dist + rng.normal(0, 60, n)
columns = ["area", "rooms", "age", "dist", "price", "tax"]
tax = 0.011 * price + rng.normal(0, 0.05, n)
table = np.stack([area, rooms, age, dist, price, tax], axis=1).astype(np.float32)

target = columns.index("price")
feature_names = [c for c in columns if c != "price"]
features = [columns.index(c) for c in feature_names]

train, hold = table[:1600], table[1600:]
m, s = train.mean(0), train.std(0)
train, hold = (train - m) / s, (hold - m) / s

ds = TensorDataset(torch.from_numpy(train[:, features]), torch.from_numpy(train[:, target]))
dl = DataLoader(ds, batch_size=64, shuffle=True)
model = nn.Sequential(nn.Linear(len(features), 32), nn.GELU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)

for ep in range(15):
    model.train()
    tr = []
    for xb, yb in dl:
        loss = nn.functional.mse_loss(model(xb).flatten(), yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        tr.append(loss.item())
    if ep % 5 == 4:
        print(f"Epoch {ep + 1:02d} | MSE {np.mean(tr):.4f}")

model.eval()
with torch.no_grad():
    p = model(torch.from_numpy(hold[:, features])).flatten().numpy()
t = hold[:, target]
print(f"holdout R2: {1 - ((p - t) ** 2).sum() / ((t - t.mean()) ** 2).sum():.3f}")

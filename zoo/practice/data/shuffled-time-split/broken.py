"""Hourly demand: predict three hours ahead from the previous twelve."""
import numpy as np
import torch
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(12)
torch.manual_seed(12)

hours = np.arange(900)
demand = np.cumsum(rng.normal(0, 1.0, 900))
demand = demand + 12.0 * np.sin(2 * np.pi * hours / 24)

LOOKBACK, AHEAD = 12, 12
X = np.stack([demand[i:i + LOOKBACK] for i in range(len(demand) - LOOKBACK - AHEAD)])
y = demand[LOOKBACK + AHEAD:]
stamp = hours[LOOKBACK + AHEAD:]
X = np.concatenate([X, stamp[:, None] / 100.0], axis=1)

X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.2, random_state=12)

mu, sd = X_train.mean(0), X_train.std(0)
ymu, ysd = y_train.mean(), y_train.std()
f = lambda a: torch.tensor(a, dtype=torch.float32)
train = TensorDataset(f((X_train - mu) / sd), f((y_train - ymu) / ysd))
loader = DataLoader(train, batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(LOOKBACK + 1, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(40):
    total = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb).squeeze(-1), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    if epoch % 10 == 9:
        print(f"epoch {epoch + 1} train mse {total / len(train):.4f}")

model.eval()
with torch.no_grad():
    pred = model(f((X_test - mu) / sd)).squeeze(-1).numpy() * ysd + ymu
r2 = 1 - ((pred - y_test) ** 2).sum() / ((y_test - y_test.mean()) ** 2).sum()
print(f"test R2 {r2:.3f}")

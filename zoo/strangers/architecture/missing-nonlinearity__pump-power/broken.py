# %% [markdown]
# Pump power draw from bench readings: residual MLP against a ridge baseline

# %% imports
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

np.random.seed(21)
torch.manual_seed(21)

# %% data
n = 6000
df = pd.DataFrame({
    "flow": np.random.uniform(5, 60, n),
    "head": np.random.uniform(2, 40, n),
    "rpm": np.random.uniform(900, 3000, n),
    "temp": np.random.normal(25, 8, n),
    "viscosity": np.random.lognormal(0.0, 0.35, n),
    "age": np.random.randint(0, 12, n),
})
best_flow = df.rpm / 60
dist = (df.flow - best_flow) / 18
df["power"] = (
    50 * np.exp(-dist ** 2)
    + 1.3 * df["head"]
    - 6 * np.sin(df["head"] / 6)
    - 4 * df.viscosity * (df.rpm > 2000)
    - 0.05 * (df.temp - 25) ** 2 * df.age / 12
    + np.random.normal(0, 1.5, n)
)
df.describe().round(2)

# %% split and scaling
features = [c for c in df.columns if c != "power"]
train_df, test_df = train_test_split(df, test_size=0.2, random_state=21)
train_df, val_df = train_test_split(train_df, test_size=0.2, random_state=21)

x_scaler = StandardScaler().fit(train_df[features])
y_scaler = StandardScaler().fit(train_df[["power"]])


def to_tensors(frame):
    x = torch.tensor(x_scaler.transform(frame[features]), dtype=torch.float32)
    y = torch.tensor(y_scaler.transform(frame[["power"]]), dtype=torch.float32)
    return x, y


xtr, ytr = to_tensors(train_df)
xva, yva = to_tensors(val_df)
xte, yte = to_tensors(test_df)


# %% model
class ResBlock(nn.Module):
    def __init__(self, dim, p):
        super().__init__()
        self.fc1 = nn.Linear(dim, 2 * dim)
        self.bn = nn.BatchNorm1d(2 * dim)
        self.fc2 = nn.Linear(2 * dim, dim)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        h = self.bn(self.fc1(x))
        return x + self.fc2(self.drop(h))


class ResMLP(nn.Module):
    def __init__(self, n_in, dim=48, depth=3, p=0.05):
        super().__init__()
        self.stem = nn.Linear(n_in, dim)
        self.blocks = nn.Sequential(*[ResBlock(dim, p) for _ in range(depth)])
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))


# %% training
epochs, bs = 25, 128
model = ResMLP(len(features))
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-3)
steps_per_epoch = len(xtr) // bs
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=3e-3, epochs=epochs, steps_per_epoch=steps_per_epoch)
loss_fn = nn.MSELoss()

history = []
for epoch in range(epochs):
    model.train()
    order = torch.randperm(len(xtr))
    losses = []
    for i in range(steps_per_epoch):
        idx = order[i * bs:(i + 1) * bs]
        opt.zero_grad()
        loss = loss_fn(model(xtr[idx]), ytr[idx])
        loss.backward()
        opt.step()
        sched.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        val = loss_fn(model(xva), yva).item()
    history.append((np.mean(losses), val))
    if epoch % 4 == 0:
        print(f"epoch {epoch:2d}  train mse {history[-1][0]:.4f}  val mse {val:.4f}")

# %% result on the held-out bench runs
model.eval()
with torch.no_grad():
    pred = y_scaler.inverse_transform(model(xte).numpy())
truth = test_df[["power"]].to_numpy()
ridge = Ridge(1.0).fit(xtr.numpy(), ytr.numpy().ravel())
ridge_pred = y_scaler.inverse_transform(ridge.predict(xte.numpy()).reshape(-1, 1))

print(f"ridge   R2 {r2_score(truth, ridge_pred):.3f}  MAE {mean_absolute_error(truth, ridge_pred):.2f} kW")
print(f"res-mlp R2 {r2_score(truth, pred):.3f}  MAE {mean_absolute_error(truth, pred):.2f} kW")

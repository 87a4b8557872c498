"""NOx of a gas turbine from its process sensors."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from turbine import SENSORS, read_runs

torch.manual_seed(8)
torch.set_num_threads(1)

train_df = read_runs(6000, seed=81)
val_df = read_runs(1200, seed=82)
test_df = read_runs(1500, seed=83)

mean, std = train_df[SENSORS].mean(), train_df[SENSORS].std()
nox_mean, nox_std = train_df["nox"].mean(), train_df["nox"].std()


def prepare(df):
    x = df[SENSORS].fillna(mean)
    y = (df["nox"] - nox_mean) / nox_std
    return TensorDataset(torch.tensor(x.to_numpy(), dtype=torch.float32),
                         torch.tensor(y.to_numpy(), dtype=torch.float32).unsqueeze(1))


def report(net, data):
    x, y = data.tensors
    net.eval()
    with torch.no_grad():
        pred = net(x)
    err = (pred - y) * nox_std
    r2 = 1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    return err.abs().mean().item(), r2.item()


train, val, test = prepare(train_df), prepare(val_df), prepare(test_df)
loader = DataLoader(train, batch_size=64, shuffle=True)

net = nn.Sequential(nn.Linear(len(SENSORS), 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=10, gamma=0.3)
mse = nn.MSELoss()

for epoch in range(1, 26):
    net.train()
    total = 0.0
    for x, y in loader:
        opt.zero_grad()
        loss = mse(net(x), y)
        loss.backward()
        opt.step()
        total += loss.item() * len(x)
    sched.step()
    mae, r2 = report(net, val)
    if epoch % 5 == 0 or epoch == 1:
        print(f"epoch {epoch:2d}   mse {total / len(train):.4f}   val MAE {mae:5.2f} mg/m3   val R2 {r2:6.3f}")

mae, r2 = report(net, test)
print(f"test MAE {mae:.2f} mg/m3, R2 {r2:.3f}")

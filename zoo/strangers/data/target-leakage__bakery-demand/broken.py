# %% [markdown]
# # Daily bread demand, 40 shops
# Forecast tomorrow's sales per shop from calendar, promo plan and sales history.

# %%
import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(11)
rng = np.random.default_rng(11)

# %%
days = pd.date_range("2021-01-01", periods=420, freq="D")
frames = []
for shop in range(40):
    base = rng.uniform(80, 200)
    weekly = rng.normal(0, 0.25, 7)
    promo = (rng.random(len(days)) < 0.12).astype(float)
    noise = np.zeros(len(days))
    for t in range(1, len(days)):
        noise[t] = 0.6 * noise[t - 1] + rng.normal(0, 0.10)
    season = 0.15 * np.sin(2 * np.pi * np.arange(len(days)) / 365)
    sales = base * np.exp(weekly[days.day_of_week] + 0.35 * promo + season + noise)
    frames.append(pd.DataFrame({"shop": shop, "date": days, "promo": promo, "sales": sales}))
df = pd.concat(frames, ignore_index=True).sort_values(["shop", "date"]).reset_index(drop=True)
df["log_sales"] = np.log(df.sales)
df.head()


# %%
def add_history(frame, col="log_sales", lags=(1, 2, 7, 14), windows=(3, 28)):
    by_shop = frame.groupby("shop")[col]
    names = []
    for lag in lags:
        name = f"lag_{lag}"
        frame[name] = by_shop.shift(lag)
        names.append(name)
    for w in windows:
        name = f"avg_{w}"
        frame[name] = by_shop.transform(lambda s: s.rolling(w).mean())
        names.append(name)
    return names


history = add_history(df)
for d in range(7):
    df[f"dow_{d}"] = (df.date.dt.day_of_week == d).astype(float)
calendar = [f"dow_{d}" for d in range(7)]
features = history + calendar + ["promo"]
df = df.dropna().reset_index(drop=True)

# %%
cut = pd.Timestamp("2021-12-15")
train, test = df[df.date < cut], df[df.date >= cut]
mu, sd = train[features].mean(), train[features].std()
y_mu, y_sd = train.log_sales.mean(), train.log_sales.std()


def tensors(part):
    x = ((part[features] - mu) / sd).to_numpy(np.float32)
    y = ((part.log_sales - y_mu) / y_sd).to_numpy(np.float32)
    return torch.from_numpy(x), torch.from_numpy(y)


x_train, y_train = tensors(train)
x_test, y_test = tensors(test)
loader = DataLoader(TensorDataset(x_train, y_train), batch_size=256, shuffle=True)

# %%
net = nn.Sequential(nn.Linear(len(features), 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=15)

for epoch in range(15):
    net.train()
    total = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = nn.functional.mse_loss(net(xb).squeeze(1), yb)
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    sched.step()
    net.eval()
    with torch.no_grad():
        test_mse = nn.functional.mse_loss(net(x_test).squeeze(1), y_test).item()
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1:2d}  train mse {total / len(x_train):.4f}  test mse {test_mse:.4f}")

# %%
with torch.no_grad():
    pred = net(x_test).squeeze(1)
r2 = 1 - ((pred - y_test) ** 2).sum() / ((y_test - y_test.mean()) ** 2).sum()
mape = (torch.exp((pred - y_test).abs() * y_sd) - 1).mean()
print(f"test R2 {r2.item():.4f}   test MAPE {100 * mape.item():.2f}%")

"""Next-hour electricity demand from the recent past and the calendar.

The series is simulated: daily and weekly cycles, temperature response,
and an autocorrelated disturbance with hourly shocks.
"""
import argparse

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def simulate(hours, seed):
    rng = np.random.default_rng(seed)
    index = pd.date_range("2021-01-04", periods=hours, freq="h")
    t = np.arange(hours)
    temp = 12 + 9 * np.sin(2 * np.pi * t / (24 * 60)) + 4 * np.sin(2 * np.pi * (t - 9) / 24)
    temp = temp + rng.normal(0, 1.2, hours)
    drift = np.zeros(hours)
    for i in range(1, hours):
        drift[i] = 0.8 * drift[i - 1] + rng.normal(0, 14)
    weekend = (index.day_of_week >= 5).astype(float)
    load = (420 + 90 * np.sin(2 * np.pi * (t - 8) / 24) + 35 * np.sin(4 * np.pi * t / 24)
            - 60 * weekend + 0.4 * (temp - 17) ** 2 + drift)
    return pd.DataFrame({"load": load, "temp": temp}, index=index)


def add_features(df, n_lags):
    out = df.copy()
    for k in range(n_lags):
        out[f"load_lag{k}"] = out["load"].shift(k)
    out["temp_prev"] = out["temp"].shift(1)
    hour = out.index.hour.to_numpy()
    out["hour_sin"] = np.sin(2 * np.pi * hour / 24)
    out["hour_cos"] = np.cos(2 * np.pi * hour / 24)
    out["weekend"] = (out.index.day_of_week >= 5).astype(float)
    return out.dropna()


def split(df, fraction):
    cut = int(len(df) * fraction)
    return df.iloc[:cut], df.iloc[cut:]


class DemandNet(nn.Module):
    def __init__(self, n_in, hidden=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(n_in, hidden), nn.GELU(), nn.Linear(hidden, hidden), nn.GELU())
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.head(self.body(x))


class Trainer:
    def __init__(self, net, lr, epochs):
        self.net, self.epochs = net, epochs
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.loss = nn.MSELoss()

    def fit(self, loader):
        for epoch in range(self.epochs):
            self.net.train()
            losses = []
            for xb, yb in loader:
                loss = self.loss(self.net(xb), yb)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                losses.append(loss.item())
            if (epoch + 1) % 5 == 0:
                print(f"epoch {epoch + 1:3d}  mse {np.mean(losses):.4f}")

    def predict(self, x):
        self.net.eval()
        with torch.no_grad():
            return self.net(x)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--hours", type=int, default=24 * 7 * 26)
    ap.add_argument("--lags", type=int, default=24)
    ap.add_argument("--epochs", type=int, default=20)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=5)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    frame = add_features(simulate(args.hours, args.seed), args.lags)
    train, test = split(frame, 0.8)
    columns = [c for c in frame.columns if c not in ("load", "temp")]
    mean, std = train.mean(), train.std()

    def tensors(part):
        z = (part - mean) / std
        x = torch.tensor(z[columns].to_numpy(), dtype=torch.float32)
        y = torch.tensor(z[["load"]].to_numpy(), dtype=torch.float32)
        return x, y

    x_train, y_train = tensors(train)
    x_test, y_test = tensors(test)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=64, shuffle=True, drop_last=True)
    trainer = Trainer(DemandNet(len(columns)), args.lr, args.epochs)
    trainer.fit(loader)

    pred = trainer.predict(x_test)
    mae = (pred - y_test).abs().mean().item() * std["load"]
    r2 = 1 - ((pred - y_test) ** 2).sum() / ((y_test - y_test.mean()) ** 2).sum()
    print(f"test MAE {mae:.2f} MW, R2 {r2.item():.4f}")


if __name__ == "__main__":
    main()

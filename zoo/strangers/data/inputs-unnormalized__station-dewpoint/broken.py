import argparse
import math

import numpy as np
import torch
import torch.nn as nn

parser = argparse.ArgumentParser(description="next-hour temperature change from 24 h of station readings")
parser.add_argument("--hours", type=int, default=6000)
parser.add_argument("--window", type=int, default=24)
parser.add_argument("--hidden", type=int, default=32)
parser.add_argument("--epochs", type=int, default=9)
parser.add_argument("--lr", type=float, default=4e-3)
parser.add_argument("--seed", type=int, default=3)


def simulate_station(hours, seed):
    """pressure [Pa], temperature [K], wind direction [deg], irradiance [W/m2]"""
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    front = np.zeros(hours)
    for i in range(1, hours):
        front[i] = 0.97 * front[i - 1] + 0.24 * rng.standard_normal()
    sun = np.clip(np.sin(2 * math.pi * (t % 24 - 6) / 24), 0, None) * (700 - 180 * front)
    temperature = np.zeros(hours)
    for i in range(1, hours):
        temperature[i] = temperature[i - 1] + 0.0022 * sun[i - 1] - 0.06 * temperature[i - 1] \
            - 0.9 * front[i - 1] + 0.05 * rng.standard_normal()
    temperature += 281.0
    pressure = 101325 - 900 * front + 40 * rng.standard_normal(hours)
    wind = 180 + 60 * np.tanh(front) + 10 * rng.standard_normal(hours)
    return np.stack([pressure, temperature, wind, sun], axis=1)


def windows(series, length):
    x = np.lib.stride_tricks.sliding_window_view(series, length, axis=0)[:-1]
    x = x.transpose(0, 2, 1)
    y = series[length:, 1] - series[length - 1:-1, 1]
    return x.astype(np.float32), y.astype(np.float32)


class Forecaster(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.rnn = nn.GRU(channels, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        _, h = self.rnn(x)
        return self.out(h[-1]).squeeze(-1)


def batches(x, y, size, generator):
    for idx in torch.randperm(len(x), generator=generator).split(size):
        yield x[idx], y[idx]


def main():
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    generator = torch.Generator().manual_seed(args.seed)

    series = simulate_station(args.hours, args.seed)
    cut = int(0.8 * len(series))
    past, future = series[:cut], series[cut:]
    x_train, y_train = windows(past, args.window)
    x_test, y_test = windows(future, args.window)
    x_train, y_train, x_test, y_test = (torch.as_tensor(v, dtype=torch.float32) for v in (x_train, y_train, x_test, y_test))

    y_mu, y_sd = y_train.mean(), y_train.std()
    model = Forecaster(x_train.shape[-1], args.hidden)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    steps = args.epochs * math.ceil(len(x_train) / 64)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=steps)

    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for xb, yb in batches(x_train, y_train, 64, generator):
            loss = nn.functional.mse_loss(model(xb), (yb - y_mu) / y_sd)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            sched.step()
            total += loss.item() * len(xb)
        model.eval()
        with torch.no_grad():
            pred = model(x_test) * y_sd + y_mu
        rmse = (pred - y_test).pow(2).mean().sqrt().item()
        r2 = 1 - (pred - y_test).pow(2).sum().item() / (y_test - y_test.mean()).pow(2).sum().item()
        print(f"[{epoch + 1}/{args.epochs}] train mse {total / len(x_train):.4f} | test rmse {rmse:.3f} K | test R2 {r2:.3f}")


if __name__ == "__main__":
    main()

"""
Forecast the hourly electricity load of a small town, 36 hours of history -> the next hour.

The series is split in time order: the first 70% for training, then validation, then test.
"""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


def make_series(n_hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(n_hours)
    day = 1.0 * np.sin(2 * np.pi * t / 24 - 1.2) + 0.4 * np.sin(4 * np.pi * t / 24)
    weekend = -0.6 * ((t // 24) % 7 >= 5)
    weather = np.zeros(n_hours)
    for i in range(1, n_hours):
        weather[i] = 0.95 * weather[i - 1] + rng.normal(0, 0.12)
    return (50 + 8 * (day + weekend + weather) + rng.normal(0, 0.5, n_hours)).astype(np.float32)


class WindowDataset(Dataset):
    def __init__(self, series, window):
        self.series = torch.tensor(series)
        self.window = window

    def __len__(self):
        return len(self.series) - self.window

    def __getitem__(self, i):
        x = self.series[i : i + self.window].unsqueeze(-1)
        y = self.series[i + self.window]
        return x, y


class LoadLSTM(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.lstm = nn.LSTM(input_size=1, hidden_size=hidden, batch_first=True)
        self.linear = nn.Linear(hidden, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.linear(out[:, -1, :]).squeeze(-1)


def evaluate(model, loader, criterion):
    model.eval()
    total, count = 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            total += criterion(model(x), y).item() * len(y)
            count += len(y)
    return total / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--window", type=int, default=36)
    parser.add_argument("--batch_size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    series = make_series(24 * 180, args.seed)
    n_train, n_val = int(0.7 * len(series)), int(0.15 * len(series))
    train, val, test = series[:n_train], series[n_train : n_train + n_val], series[n_train + n_val :]
    mean, std = train.mean(), train.std()

    train_loader = DataLoader(WindowDataset((train - mean) / std, args.window), args.batch_size, shuffle=True)
    val_loader = DataLoader(WindowDataset((val - mean) / std, args.window), 256)
    test_loader = DataLoader(WindowDataset((test - mean) / std, args.window), 256)

    model = LoadLSTM()
    criterion = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs, eta_min=1e-4)

    for epoch in range(args.epochs):
        model.train()
        total, count = 0.0, 0
        for x, y in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            total += loss.item() * len(y)
            count += len(y)
        scheduler.step()
        print(f"epoch {epoch + 1:2d}: train mse {total / count:.4f}  val mse {evaluate(model, val_loader, criterion):.4f}")

    test_mse = evaluate(model, test_loader, criterion)
    z = (test - mean) / std
    naive = float(np.mean((z[args.window :] - z[args.window - 1 : -1]) ** 2))
    print(f"test RMSE {np.sqrt(test_mse) * std:.2f} MW, last-value forecast {np.sqrt(naive) * std:.2f} MW")


if __name__ == "__main__":
    main()

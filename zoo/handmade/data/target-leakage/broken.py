"""One-step-ahead forecast of the hourly load of a small grid with a GRU."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

WINDOW = 24


def hourly_load(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    daily = np.sin(2 * np.pi * t / 24) + 0.4 * np.sin(4 * np.pi * t / 24 + 1.0)
    weather = np.zeros(hours)
    for i in range(1, hours):
        weather[i] = 0.7 * weather[i - 1] + 0.28 * rng.standard_normal()
    return (310 + 45 * (daily + weather)).astype(np.float32)


class LoadWindows(Dataset):
    """Pairs of the last WINDOW hours and the hour to forecast."""

    def __init__(self, series, window=WINDOW):
        self.series = torch.as_tensor(series)
        self.window = window

    def __len__(self):
        return len(self.series) - self.window

    def __getitem__(self, i):
        history = self.series[i : i + self.window]
        target = self.series[i + self.window - 1]
        return history.unsqueeze(-1), target


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.readout = nn.Linear(hidden, 1)

    def forward(self, history):
        states, _ = self.gru(history)
        return self.readout(states[:, -1]).squeeze(-1)


def r2_score(model, loader):
    model.eval()
    preds, targets = [], []
    with torch.no_grad():
        for history, target in loader:
            preds.append(model(history))
            targets.append(target)
    pred, target = torch.cat(preds), torch.cat(targets)
    residual = (target - pred).pow(2).sum()
    return (1 - residual / (target - target.mean()).pow(2).sum()).item()


def main():
    torch.manual_seed(7)
    load = hourly_load(hours=2600, seed=7)
    past, recent = load[:2000], load[2000:]
    center, scale = past.mean(), past.std()

    train_set = LoadWindows((past - center) / scale)
    test_set = LoadWindows((recent - center) / scale)
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=256)

    model = Forecaster()
    loss_fn = nn.MSELoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)

    for epoch in range(10):
        model.train()
        losses = []
        for history, target in train_loader:
            optimizer.zero_grad()
            loss = loss_fn(model(history), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: mse {np.mean(losses):.4f}")

    print(f"test R2 {r2_score(model, test_loader):.3f}")


if __name__ == "__main__":
    main()

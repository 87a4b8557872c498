from dataclasses import dataclass

import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split


@dataclass
class Config:
    csv: str = "hourly_load.csv"
    window: int = 168
    horizon: int = 24
    hidden: int = 96
    epochs: int = 20
    lr: float = 1e-3


class LoadWindows(Dataset):
    def __init__(self, series, window, horizon):
        self.s, self.w, self.h = torch.as_tensor(series, dtype=torch.float32), window, horizon

    def __len__(self):
        return len(self.s) - self.w - self.h + 1

    def __getitem__(self, t):
        return self.s[t:t + self.w, None], self.s[t + self.w:t + self.w + self.h]


class Forecaster(nn.Module):
    def __init__(self, hidden, horizon):
        super().__init__()
        self.gru = nn.GRU(1, hidden, batch_first=True)
        self.out = nn.Linear(hidden, horizon)

    def forward(self, x):
        _, h = self.gru(x)
        return self.out(h[-1])


def run(cfg: Config):
    torch.manual_seed(1)
    series = pd.read_csv(cfg.csv)["load_mw"].values / 1e4
    windows = LoadWindows(series, cfg.window, cfg.horizon)
    n_val = len(windows) // 5
    train_set, val_set = random_split(windows, [len(windows) - n_val, n_val])
    train_loader = DataLoader(train_set, batch_size=128, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=512)
    model = Forecaster(cfg.hidden, cfg.horizon)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        model.train()
        for x, y in train_loader:
            opt.zero_grad()
            loss = nn.functional.l1_loss(model(x), y)
            loss.backward()
            opt.step()
        model.eval()
        err, n = 0.0, 0
        with torch.no_grad():
            for x, y in val_loader:
                err += (model(x) - y).abs().sum().item()
                n += y.numel()
        print(epoch, err / n)


run(Config())

"""Wearable windows: which activity is it, and at what cadence?  Two heads on one trunk."""
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


@dataclass
class Config:
    n_windows: int = 3000
    window: int = 80
    batch_size: int = 64
    epochs: int = 10
    lr: float = 2e-3
    seed: int = 99


ACTIVITIES = ("walk", "stairs", "cycle", "row")


def synth_window(rng, activity, cadence, n):
    t = np.arange(n) / 40.0
    w = 2 * np.pi * cadence
    ph = rng.uniform(0, 2 * np.pi)
    base = w * t + ph
    if activity == 0:
        xyz = [np.sin(base), 0.5 * np.sin(2 * base), np.abs(np.sin(base / 2)) - 0.64]
    elif activity == 1:
        xyz = [np.sin(base), 0.5 * np.sin(2 * base + 1.2), 0.8 * np.sign(np.sin(base))]
    elif activity == 2:
        xyz = [np.sin(base), np.cos(base), 0.2 * np.sin(base)]
    else:
        saw = (base / (2 * np.pi)) % 1.0 - 0.5
        xyz = [1.8 * saw, 0.5 * np.sin(base), 0.7 * np.cos(base)]
    return np.stack(xyz) + 0.35 * rng.standard_normal((3, n))


def build_data(cfg):
    rng = np.random.default_rng(cfg.seed)
    activity = rng.permutation(np.arange(cfg.n_windows) % len(ACTIVITIES))
    cadence = rng.uniform(0.7, 2.7, cfg.n_windows)
    x = np.stack([synth_window(rng, a, c, cfg.window) for a, c in zip(activity, cadence)])
    target_c = (cadence - 1.7) / 0.577
    data = TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(activity),
                         torch.tensor(target_c, dtype=torch.float32))
    n_val = n_test = cfg.n_windows // 6
    return random_split(data, [cfg.n_windows - n_val - n_test, n_val, n_test],
                        generator=torch.Generator().manual_seed(cfg.seed))


class MultiTaskNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv1d(3, 24, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(24, 32, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
            nn.Flatten(), nn.Linear(32 * 20, 64), nn.ReLU())
        self.heads = nn.ModuleDict({
            "activity": nn.Linear(64, len(ACTIVITIES)),
            "cadence": nn.Sequential(nn.Linear(64, 1), nn.Flatten(0)),
        })

    def forward(self, x, task):
        return self.heads[task](self.trunk(x))


LOSSES = {"activity": nn.CrossEntropyLoss(), "cadence": nn.MSELoss()}


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        self.train_set, self.val_set, self.test_set = build_data(cfg)
        self.model = MultiTaskNet()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=cfg.lr)

    def train_epoch(self, loader):
        self.model.train()
        sums, n = dict.fromkeys(LOSSES, 0.0), 0
        for x, activity, cadence in loader:
            targets = {"activity": activity, "cadence": cadence}
            for task, criterion in LOSSES.items():
                self.optimizer.zero_grad()
                loss = criterion(self.model(x, task), targets[task])
                loss.backward()
                sums[task] += loss.item() * len(x)
            self.optimizer.step()
            n += len(x)
        return {k: v / n for k, v in sums.items()}

    @torch.no_grad()
    def evaluate(self, dataset):
        self.model.eval()
        right, abs_err = 0, 0.0
        for x, activity, cadence in DataLoader(dataset, batch_size=300):
            right += (self.model(x, "activity").argmax(1) == activity).sum().item()
            abs_err += (self.model(x, "cadence") - cadence).abs().sum().item() * 0.577
        return right / len(dataset), abs_err / len(dataset)

    def run(self):
        loader = DataLoader(self.train_set, batch_size=self.cfg.batch_size, shuffle=True)
        for epoch in range(self.cfg.epochs):
            losses = self.train_epoch(loader)
            acc, mae = self.evaluate(self.val_set)
            print(f"{epoch:2d} | " + " ".join(f"{k} {v:.4f}" for k, v in losses.items())
                  + f" | val activity acc {acc:.3f} cadence mae {mae:.3f} Hz")
        acc, mae = self.evaluate(self.test_set)
        print(f"test: activity accuracy {acc:.3f}, cadence error {mae:.3f} Hz")


if __name__ == "__main__":
    config = Config()
    torch.manual_seed(config.seed)
    Trainer(config).run()

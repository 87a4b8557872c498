"""Activity recognition from wearable sensors (simulated), with a late-fusion network.

Recordings may lack a sensor, so the network fuses whatever is present in the batch.
"""
from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

SENSORS = {"acc": 3, "gyro": 3, "baro": 1}
ACTIVITIES = ["stroll", "walk", "run", "stroll+turn", "walk+turn", "run+turn"]


def _smooth(a: np.ndarray, k: int = 5) -> np.ndarray:
    return np.apply_along_axis(lambda v: np.convolve(v, np.ones(k) / k, "same"), -1, a)


class WearableDataset(Dataset):
    def __init__(self, n: int, seed: int, length: int = 50):
        rng = np.random.default_rng(seed)
        t = np.arange(length)
        self.labels = rng.permutation(np.arange(n) % len(ACTIVITIES))
        pace, turn = self.labels % 3, self.labels // 3
        freq = np.array([0.06, 0.10, 0.15])[pace] * rng.uniform(0.9, 1.1, n)
        phase = rng.uniform(0, 6.28, (n, 3, 1))
        acc = 1.2 * np.sin(6.283 * freq[:, None, None] * t + phase) + 0.5 * rng.normal(size=(n, 3, length))
        sway = _smooth(rng.normal(size=(n, 3, length)))
        rate = np.where(turn == 1, 1.0, 0.0)[:, None, None] * np.sin(6.283 * 0.04 * t + phase)
        gyro = 1.3 * (sway + rate + 0.4 * rng.normal(size=sway.shape))
        baro = 2 * _smooth(rng.normal(size=(n, 1, length)))
        self.data = {k: v.astype(np.float32) for k, v in dict(acc=acc, gyro=gyro, baro=baro).items()}

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, i: int) -> dict:
        item = {k: v[i] for k, v in self.data.items()}
        item["label"] = int(self.labels[i])
        return item


class SensorEncoder(nn.Sequential):
    def __init__(self, channels: int, dim: int):
        super().__init__(
            nn.Conv1d(channels, dim, 7, stride=2, padding=3), nn.ReLU(),
            nn.Conv1d(dim, dim, 5, stride=2, padding=2), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )


class FusionNet(nn.Module):
    def __init__(self, n_classes: int, dim: int = 24):
        super().__init__()
        self.encoders = nn.ModuleDict({
            "acc": SensorEncoder(SENSORS["acc"], dim),
            "gyr": SensorEncoder(SENSORS["gyro"], dim),
            "baro": SensorEncoder(SENSORS["baro"], dim),
        })
        self.mix = nn.Linear(dim, 48)
        self.head = nn.Linear(48, n_classes)

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        feats = [enc(batch[name]) for name, enc in self.encoders.items() if name in batch]
        fused = torch.stack(feats).mean(0)
        return self.head(torch.relu(self.mix(fused)))


class Trainer:
    def __init__(self, model: nn.Module, lr: float):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-2)
        self.criterion = nn.CrossEntropyLoss()

    def fit(self, train: DataLoader, val: DataLoader, epochs: int) -> None:
        for epoch in range(1, epochs + 1):
            self.model.train()
            total, n = 0.0, 0
            for batch in train:
                y = batch.pop("label")
                loss = self.criterion(self.model(batch), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total, n = total + loss.item() * len(y), n + len(y)
            val_loss, val_acc = self.evaluate(val)
            print(f"epoch {epoch:2d}  train {total / n:.4f}  val {val_loss:.4f}  acc {val_acc:.3f}")

    @torch.inference_mode()
    def evaluate(self, loader: DataLoader) -> tuple[float, float]:
        self.model.eval()
        loss, hits, n = 0.0, 0, 0
        for batch in loader:
            y = batch.pop("label")
            logits = self.model(batch)
            loss += self.criterion(logits, y).item() * len(y)
            hits += (logits.argmax(1) == y).sum().item()
            n += len(y)
        return loss / n, hits / n


if __name__ == "__main__":
    torch.manual_seed(31)
    train_dl = DataLoader(WearableDataset(2400, seed=1), batch_size=48, shuffle=True)
    val_dl = DataLoader(WearableDataset(480, seed=2), batch_size=240)
    test_dl = DataLoader(WearableDataset(600, seed=3), batch_size=200)
    trainer = Trainer(FusionNet(len(ACTIVITIES)), lr=2e-3)
    trainer.fit(train_dl, val_dl, epochs=16)
    print(f"test accuracy {trainer.evaluate(test_dl)[1]:.3f} over {len(ACTIVITIES)} activities")

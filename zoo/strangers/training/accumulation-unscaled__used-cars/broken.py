"""Used-car price model: categorical embeddings plus numeric features.

Micro-batches are kept small to fit modest hardware; gradients are accumulated
to reach the effective batch size the learning rate was chosen for.
"""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    n_rows: int = 7000
    micro_batch: int = 16
    accumulation_steps: int = 8
    lr: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 1e-5
    epochs: int = 25
    seed: int = 5

    @property
    def effective_batch(self) -> int:
        return self.micro_batch * self.accumulation_steps


class CarTable:
    """Columns of the (simulated) listing table."""

    cardinalities = (12, 5, 4)  # brand, body, fuel

    def __init__(self, n: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.categories = np.stack([rng.integers(0, c, size=n) for c in self.cardinalities], axis=1)
        age = rng.gamma(3.0, 2.2, size=n)
        mileage = age * rng.gamma(6.0, 2.2, size=n)
        power = rng.gamma(9.0, 13.0, size=n)
        doors = rng.choice([3, 5], size=n)
        self.numeric = np.stack([age, mileage, power, doors], axis=1)
        brand_value = rng.normal(scale=0.35, size=12)
        brand_decay = rng.uniform(0.06, 0.16, size=12)
        body_value = rng.normal(scale=0.2, size=5)
        fuel_power = rng.uniform(0.002, 0.006, size=4)
        brand, body, fuel = self.categories.T
        log_price = (
            9.6 + brand_value[brand] + body_value[body] - brand_decay[brand] * age
            - 0.003 * mileage + fuel_power[fuel] * power + rng.normal(scale=0.08, size=n)
        )
        self.log_price = log_price


class CarDataset(Dataset):
    def __init__(self, categories: np.ndarray, numeric: np.ndarray, target: np.ndarray) -> None:
        self.categories = torch.as_tensor(categories, dtype=torch.long)
        self.numeric = torch.as_tensor(numeric, dtype=torch.float32)
        self.target = torch.as_tensor(target, dtype=torch.float32)

    def __len__(self) -> int:
        return len(self.target)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return self.categories[index], self.numeric[index], self.target[index]


class PriceNet(nn.Module):
    def __init__(self, cardinalities: tuple[int, ...], num_numeric: int, dim: int = 8, hidden: int = 96) -> None:
        super().__init__()
        self.embeddings = nn.ModuleList(nn.Embedding(c, dim) for c in cardinalities)
        self.mlp = nn.Sequential(
            nn.Linear(dim * len(cardinalities) + num_numeric, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, categories: torch.Tensor, numeric: torch.Tensor) -> torch.Tensor:
        embedded = [emb(categories[:, i]) for i, emb in enumerate(self.embeddings)]
        return self.mlp(torch.cat([*embedded, numeric], dim=1)).squeeze(1)


def train_one_epoch(model, loader, criterion, optimizer, accumulation_steps: int) -> float:
    model.train()
    total_loss = 0.0
    optimizer.zero_grad()
    for i, (categories, numeric, target) in enumerate(loader):
        loss = criterion(model(categories, numeric), target)
        loss.backward()
        total_loss += loss.item()
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
    return total_loss / len(loader)


@torch.inference_mode()
def evaluate(model, loader) -> dict[str, float]:
    model.eval()
    predictions, targets = [], []
    for categories, numeric, target in loader:
        predictions.append(model(categories, numeric))
        targets.append(target)
    pred, true = torch.cat(predictions), torch.cat(targets)
    mse = torch.mean((pred - true) ** 2).item()
    return {"mse": mse, "r2": 1.0 - mse / true.var(unbiased=False).item()}


def main(cfg: Config) -> None:
    torch.manual_seed(cfg.seed)
    table = CarTable(cfg.n_rows, cfg.seed)
    order = np.random.default_rng(cfg.seed + 1).permutation(cfg.n_rows)
    n_train = (int(0.7 * cfg.n_rows) // cfg.effective_batch) * cfg.effective_batch
    train_idx, val_idx, test_idx = np.split(order, [n_train, n_train + (cfg.n_rows - n_train) // 2])

    mean, std = table.numeric[train_idx].mean(axis=0), table.numeric[train_idx].std(axis=0)
    y_mean, y_std = table.log_price[train_idx].mean(), table.log_price[train_idx].std()

    def dataset(idx: np.ndarray) -> CarDataset:
        return CarDataset(
            table.categories[idx], (table.numeric[idx] - mean) / std, (table.log_price[idx] - y_mean) / y_std
        )

    train_loader = DataLoader(dataset(train_idx), batch_size=cfg.micro_batch, shuffle=True)
    val_loader = DataLoader(dataset(val_idx), batch_size=256)
    test_loader = DataLoader(dataset(test_idx), batch_size=256)

    model = PriceNet(table.cardinalities, table.numeric.shape[1])
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=cfg.lr, momentum=cfg.momentum, weight_decay=cfg.weight_decay, nesterov=True
    )
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.epochs)

    for epoch in range(1, cfg.epochs + 1):
        train_loss = train_one_epoch(model, train_loader, criterion, optimizer, cfg.accumulation_steps)
        scheduler.step()
        val = evaluate(model, val_loader)
        print(f"epoch {epoch:2d}: train mse {train_loss:.4f}  val mse {val['mse']:.4f}  val r2 {val['r2']:.4f}")

    test = evaluate(model, test_loader)
    print(f"test r2 {test['r2']:.4f}, error in log price {test['mse'] ** 0.5 * y_std:.4f}")


if __name__ == "__main__":
    main(Config())

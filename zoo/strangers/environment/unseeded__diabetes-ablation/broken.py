"""Ablation study on the diabetes progression dataset.

Compares three regularisation settings of the same small regression network and
picks the recipe with the lowest validation loss; only that one is tested.
"""
import copy
import os
import random
from dataclasses import dataclass, replace
from typing import List, Tuple

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset


@dataclass(frozen=True)
class RunConfig:
    name: str = "baseline"
    hidden: int = 32
    dropout: float = 0.0
    weight_decay: float = 0.0
    lr: float = 3e-3
    batch_size: int = 32
    max_epochs: int = 60
    patience: int = 12
    seed: int = 0


def set_seed(seed: int) -> None:
    """Make runs repeatable."""
    os.environ["PYTHONHASHSEED"] = str(seed)
    random.seed(seed)
    np.random.seed(seed)


class EarlyStopping:
    """Keeps the weights of the epoch with the lowest validation loss."""

    def __init__(self, patience: int) -> None:
        self.patience = patience
        self.best_loss = float("inf")
        self.best_state = None
        self.bad_epochs = 0

    def step(self, loss: float, model: nn.Module) -> bool:
        if loss < self.best_loss:
            self.best_loss = loss
            self.best_state = copy.deepcopy(model.state_dict())
            self.bad_epochs = 0
        else:
            self.bad_epochs += 1
        return self.bad_epochs >= self.patience


def load_splits() -> Tuple[List[np.ndarray], StandardScaler]:
    """60/20/20 split; features and target are scaled with training statistics."""
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X_rest, X_test, y_rest, y_test = train_test_split(X, y, test_size=0.2, random_state=0)
    X_train, X_val, y_train, y_val = train_test_split(X_rest, y_rest, test_size=0.25, random_state=0)
    x_scaler = StandardScaler().fit(X_train)
    y_scaler = StandardScaler().fit(y_train.reshape(-1, 1))
    arrays = []
    for features, target in ((X_train, y_train), (X_val, y_val), (X_test, y_test)):
        arrays.append(x_scaler.transform(features))
        arrays.append(y_scaler.transform(target.reshape(-1, 1)))
    return arrays, y_scaler


def make_loader(X: np.ndarray, y: np.ndarray, batch_size: int, shuffle: bool = False) -> DataLoader:
    data = TensorDataset(torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32))
    return DataLoader(data, batch_size=batch_size, shuffle=shuffle)


def build_model(in_features: int, cfg: RunConfig) -> nn.Module:
    return nn.Sequential(
        nn.Linear(in_features, cfg.hidden),
        nn.ReLU(),
        nn.Dropout(cfg.dropout),
        nn.Linear(cfg.hidden, cfg.hidden),
        nn.ReLU(),
        nn.Linear(cfg.hidden, 1),
    )


def train_one_epoch(model: nn.Module, loader: DataLoader, optimizer: torch.optim.Optimizer) -> None:
    model.train()
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    total = 0.0
    for xb, yb in loader:
        total += nn.functional.mse_loss(model(xb), yb, reduction="sum").item()
    return total / len(loader.dataset)


def run(cfg: RunConfig) -> Tuple[float, nn.Module]:
    set_seed(cfg.seed)
    (X_train, y_train, X_val, y_val, _, _), _ = load_splits()
    train_loader = make_loader(X_train, y_train, cfg.batch_size, shuffle=True)
    val_loader = make_loader(X_val, y_val, cfg.batch_size)

    model = build_model(X_train.shape[1], cfg)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
    stopper = EarlyStopping(cfg.patience)
    for epoch in range(1, cfg.max_epochs + 1):
        train_one_epoch(model, train_loader, optimizer)
        val_loss = evaluate(model, val_loader)
        if stopper.step(val_loss, model):
            break
    model.load_state_dict(stopper.best_state)
    print(f"{cfg.name:<14} stopped at epoch {epoch:2d} | best val MSE {stopper.best_loss:.4f}")
    return stopper.best_loss, model


def main() -> None:
    base = RunConfig()
    variants = [base, replace(base, name="dropout", dropout=0.3), replace(base, name="weight decay", weight_decay=0.3)]
    results = {cfg.name: run(cfg) for cfg in variants}
    best = min(results, key=lambda name: results[name][0])

    (*_, X_test, y_test), y_scaler = load_splits()
    test_mse = evaluate(results[best][1], make_loader(X_test, y_test, base.batch_size))
    test_rmse = test_mse ** 0.5 * float(y_scaler.scale_[0])
    print(f"selected: {best} | test RMSE {test_rmse:.2f}")


if __name__ == "__main__":
    main()

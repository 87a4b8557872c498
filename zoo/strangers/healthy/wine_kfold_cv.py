"""5-fold cross-validation of a small network on the wine dataset.

A stratified hold-out is kept aside; hyper-parameters are fixed beforehand and
the folds only estimate the spread of the score. The final model is trained on
the whole development part and tested once.
"""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_wine
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True)
class HParams:
    hidden: int = 24
    dropout: float = 0.2
    lr: float = 5e-3
    weight_decay: float = 1e-3
    batch_size: int = 16
    epochs: int = 40
    folds: int = 5
    seed: int = 3


def make_model(n_features: int, n_classes: int, hp: HParams) -> nn.Module:
    return nn.Sequential(
        nn.Linear(n_features, hp.hidden),
        nn.SiLU(),
        nn.Dropout(hp.dropout),
        nn.Linear(hp.hidden, n_classes),
    )


def fit(X: np.ndarray, y: np.ndarray, hp: HParams, seed: int) -> tuple[nn.Module, StandardScaler, float]:
    """Train from scratch; the scaler belongs to the fit and travels with the model."""
    torch.manual_seed(seed)
    scaler = StandardScaler().fit(X)
    inputs = torch.tensor(scaler.transform(X), dtype=torch.float32)
    targets = torch.tensor(y)
    model = make_model(X.shape[1], int(y.max()) + 1, hp)
    optimizer = torch.optim.AdamW(model.parameters(), lr=hp.lr, weight_decay=hp.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=hp.lr, epochs=hp.epochs, steps_per_epoch=-(-len(inputs) // hp.batch_size)
    )
    model.train()
    for _ in range(hp.epochs):
        epoch_loss = 0.0
        for batch in torch.randperm(len(inputs)).split(hp.batch_size):
            loss = nn.functional.cross_entropy(model(inputs[batch]), targets[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            epoch_loss += loss.item() * len(batch)
    return model, scaler, epoch_loss / len(inputs)


@torch.no_grad()
def score(model: nn.Module, scaler: StandardScaler, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    model.eval()
    predicted = model(torch.tensor(scaler.transform(X), dtype=torch.float32)).argmax(dim=1).numpy()
    return float((predicted == y).mean()), float(f1_score(y, predicted, average="macro"))


def main() -> None:
    hp = HParams()
    X, y = load_wine(return_X_y=True)
    X_dev, X_test, y_dev, y_test = train_test_split(X, y, test_size=0.25, stratify=y, random_state=hp.seed)

    accuracies = []
    folds = StratifiedKFold(n_splits=hp.folds, shuffle=True, random_state=hp.seed)
    for k, (train_idx, val_idx) in enumerate(folds.split(X_dev, y_dev), start=1):
        model, scaler, train_loss = fit(X_dev[train_idx], y_dev[train_idx], hp, seed=hp.seed + k)
        accuracy, f1 = score(model, scaler, X_dev[val_idx], y_dev[val_idx])
        accuracies.append(accuracy)
        print(f"fold {k}: train loss {train_loss:.4f}  val accuracy {accuracy:.4f}  macro F1 {f1:.4f}")
    print(f"cross-validation: {np.mean(accuracies):.4f} +/- {np.std(accuracies, ddof=1):.4f}")

    model, scaler, train_loss = fit(X_dev, y_dev, hp, seed=hp.seed)
    accuracy, f1 = score(model, scaler, X_test, y_test)
    print(f"final model: train loss {train_loss:.4f}  test accuracy {accuracy:.4f}  macro F1 {f1:.4f}")


if __name__ == "__main__":
    main()

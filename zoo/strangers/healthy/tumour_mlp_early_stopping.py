"""Benign or malignant? MLP on the breast cancer table with early stopping on a validation set."""
import copy
import random

import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def seed_everything(seed: int = 42):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class EarlyStopping:
    def __init__(self, patience=10):
        self.patience = patience
        self.best = float("inf")
        self.state = None
        self.bad_epochs = 0

    def step(self, value, model):
        if value < self.best:
            self.best = value
            self.state = copy.deepcopy(model.state_dict())
            self.bad_epochs = 0
        else:
            self.bad_epochs += 1
        return self.bad_epochs >= self.patience


class MLP(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(n_features, 32),
            nn.ReLU(),
            nn.Dropout(0.3),
            nn.Linear(32, 16),
            nn.ReLU(),
            nn.Linear(16, 1),
        )

    def forward(self, x):
        return self.layers(x)


def tensor_set(X, y):
    return TensorDataset(
        torch.tensor(X, dtype=torch.float32),
        torch.tensor(y, dtype=torch.float32).unsqueeze(1),
    )


def run_validation(model, loader, criterion):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for X, y in loader:
            total += criterion(model(X), y).item() * X.size(0)
    return total / len(loader.dataset)


def main():
    seed_everything()
    X, y = load_breast_cancer(return_X_y=True)
    X_trainval, X_test, y_trainval, y_test = train_test_split(X, y, test_size=0.2, stratify=y, random_state=42)
    X_train, X_val, y_train, y_val = train_test_split(
        X_trainval, y_trainval, test_size=0.2, stratify=y_trainval, random_state=42
    )
    scaler = StandardScaler()
    X_train = scaler.fit_transform(X_train)
    X_val = scaler.transform(X_val)
    X_test = scaler.transform(X_test)

    train_loader = DataLoader(tensor_set(X_train, y_train), batch_size=32, shuffle=True)
    val_loader = DataLoader(tensor_set(X_val, y_val), batch_size=64)

    model = MLP(X.shape[1])
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-3)
    stopper = EarlyStopping(patience=10)

    for epoch in range(1, 101):
        model.train()
        epoch_loss = 0.0
        for xb, yb in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item() * xb.size(0)
        epoch_loss /= len(train_loader.dataset)
        val_loss = run_validation(model, val_loader, criterion)
        print(f"epoch {epoch:3d} | train {epoch_loss:.4f} | val {val_loss:.4f}")
        if stopper.step(val_loss, model):
            print("early stopping, best val loss %.4f" % stopper.best)
            break

    model.load_state_dict(stopper.state)
    model.eval()
    with torch.no_grad():
        probs = torch.sigmoid(model(torch.tensor(X_test, dtype=torch.float32))).squeeze(1).numpy()
    acc = ((probs > 0.5).astype(int) == y_test).mean()
    print(f"test accuracy {acc:.4f}, test AUC {roc_auc_score(y_test, probs):.4f}")


if __name__ == "__main__":
    main()

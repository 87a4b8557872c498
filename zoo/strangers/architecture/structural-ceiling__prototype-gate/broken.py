"""Adapting a frozen prototype classifier.

Stage 1 keeps one mean image per digit and scores a picture by its similarity to each of
them. Stage 2 (this script) leaves the prototypes alone and learns a small network that
looks at the picture and rescales those similarities before the softmax.
"""
import argparse

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def get_data(seed):
    x, y = load_digits(return_X_y=True)
    x = (x / 16.0).astype(np.float32)
    x_tmp, x_test, y_tmp, y_test = train_test_split(x, y, test_size=0.2, stratify=y, random_state=seed)
    x_train, x_val, y_train, y_val = train_test_split(
        x_tmp, y_tmp, test_size=0.2, stratify=y_tmp, random_state=seed)
    mean = x_train.mean(0)
    spread = x_train.std()
    parts = [(x_train, y_train), (x_val, y_val), (x_test, y_test)]
    return [(torch.from_numpy((a - mean) / spread), torch.from_numpy(b)) for a, b in parts]


def class_prototypes(x, y, n_classes):
    return torch.stack([x[y == c].mean(0) for c in range(n_classes)])


class AdaptedPrototypes(nn.Module):
    def __init__(self, prototypes, hidden):
        super().__init__()
        n_classes, dim = prototypes.shape
        self.register_buffer("prototypes", F.normalize(prototypes, dim=1))
        self.encoder = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.gate = nn.Linear(hidden, 1)

    def similarity(self, x):
        return (F.normalize(x, dim=1) @ self.prototypes.T + 1) / 2

    def forward(self, x):
        gain = F.softplus(self.gate(self.encoder(x)))
        return 10 * gain * self.similarity(x)


def accuracy(scores, y):
    return (scores.argmax(1) == y).float().mean().item()


def run_epoch(model, x, y, batch, optimizer):
    model.train()
    total = 0.0
    for rows in torch.randperm(len(x)).split(batch):
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    return total / len(x)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    (x_train, y_train), (x_val, y_val), (x_test, y_test) = get_data(args.seed)
    model = AdaptedPrototypes(class_prototypes(x_train, y_train, 10), args.hidden)
    print(f"prototypes alone, val accuracy {accuracy(model.similarity(x_val), y_val):.4f}")
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)

    for epoch in range(1, args.epochs + 1):
        train_loss = run_epoch(model, x_train, y_train, args.batch, optimizer)
        if epoch % 5 == 0:
            model.eval()
            with torch.no_grad():
                scores = model(x_val)
            val_loss = F.cross_entropy(scores, y_val).item()
            print(f"{epoch:3d}  train {train_loss:.4f}  val {val_loss:.4f}  val acc {accuracy(scores, y_val):.4f}")

    model.eval()
    with torch.no_grad():
        print(f"test accuracy {accuracy(model(x_test), y_test):.4f}")


if __name__ == "__main__":
    main()

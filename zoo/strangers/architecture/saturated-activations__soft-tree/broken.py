"""Soft decision tree (Frosst & Hinton style) on the 8x8 digits.

Every inner node sends an example to the right with probability sigmoid(beta * (w.x + b));
every leaf holds a fixed distribution over the classes.
"""
import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


class SoftTree(nn.Module):
    def __init__(self, n_features, n_classes, depth=5, beta=1.0):
        super().__init__()
        self.depth = depth
        self.beta = beta
        self.gates = nn.Linear(n_features, 2 ** depth - 1)
        self.leaves = nn.Parameter(0.01 * torch.randn(2 ** depth, n_classes))

    def route(self, x):
        right = torch.sigmoid(self.beta * self.gates(x))
        reach = torch.ones(len(x), 1)
        first = 0
        for level in range(self.depth):
            p = right[:, first:first + 2 ** level]
            reach = torch.stack([reach * (1 - p), reach * p], dim=2).flatten(1)
            first += 2 ** level
        return right, reach

    def forward(self, x):
        right, reach = self.route(x)
        return reach @ torch.softmax(self.leaves, dim=1), right, reach


def balance_penalty(right, reach_root):
    """Keeps the root from sending everything to one side."""
    a = right[:, 0].mean().clamp(1e-4, 1 - 1e-4)
    return -0.5 * (torch.log(a) + torch.log(1 - a))


def nll(prob, y):
    picked = prob[torch.arange(len(y)), y]
    return -torch.log(picked.clamp_min(1e-8)).mean()


def accuracy(tree, x, y):
    with torch.no_grad():
        prob, _, _ = tree(x)
    return (prob.argmax(1) == y).float().mean().item()


def main(beta=1.0, epochs=40, batch=64, lr=0.01, seed=17):
    np.random.seed(seed)
    torch.manual_seed(seed)
    X, y = load_digits(return_X_y=True)
    X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, stratify=y, random_state=seed)
    X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.15, stratify=y_tr, random_state=seed)
    mean, std = X_tr.mean(), X_tr.std()
    X_tr, X_va, X_te = [torch.tensor((a - mean) / std, dtype=torch.float32) for a in (X_tr, X_va, X_te)]
    y_tr, y_va, y_te = map(torch.as_tensor, (y_tr, y_va, y_te))

    tree = SoftTree(X_tr.shape[1], 10, beta=beta)
    opt = torch.optim.Adam([
        {"params": tree.gates.parameters(), "weight_decay": 1e-4},
        {"params": [tree.leaves], "lr": 0.05},
    ], lr=lr)

    for epoch in range(epochs):
        tree.train()
        total = 0.0
        for idx in torch.randperm(len(X_tr)).split(batch):
            prob, right, reach = tree(X_tr[idx])
            loss = nll(prob, y_tr[idx]) + 0.1 * balance_penalty(right, reach)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        tree.eval()
        if epoch % 4 == 3:
            with torch.no_grad():
                val = nll(tree(X_va)[0], y_va).item()
            print(f"epoch {epoch + 1:2d}: loss {total / len(X_tr):.4f}  "
                  f"val nll {val:.4f}  val accuracy {accuracy(tree, X_va, y_va):.3f}")

    print(f"test accuracy {accuracy(tree, X_te, y_te):.3f}")


if __name__ == "__main__":
    main(beta=200.0)

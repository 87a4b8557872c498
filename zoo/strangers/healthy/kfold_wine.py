"""Repeated stratified k-fold on the wine data.

Before the real thing a wiring check: can the network memorise twelve rows?  That network is thrown away.
"""
import copy

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_wine
from sklearn.model_selection import StratifiedKFold, train_test_split
from torch import nn

SEED = 4
FOLDS, REPEATS = 5, 2


def build(n_in, n_out, p_drop=0.2):
    return nn.Sequential(
        nn.Linear(n_in, 32), nn.ReLU(), nn.Dropout(p_drop),
        nn.Linear(32, 32), nn.ReLU(), nn.Dropout(p_drop),
        nn.Linear(32, n_out),
    )


def wiring_check(x, y):
    """Same twelve rows over and over, no dropout: the loss has to go to (almost) nothing."""
    net = build(x.shape[1], 3, p_drop=0.0)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    xb, yb = x[:12], y[:12]
    for _ in range(100):
        loss = F.cross_entropy(net(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    assert loss.item() < 0.05, "cannot memorise twelve rows"
    print(f"wiring check ok ({loss.item():.4f})")


class Standardise:
    def fit(self, x):
        self.mean, self.std = x.mean(0), x.std(0)
        return self

    def __call__(self, x):
        return (x - self.mean) / self.std


def fit_fold(x, y, rng_seed, max_epochs=80, patience=15):
    """Inner hold-out picks the epoch; the fold's own test rows are never seen in here."""
    idx = np.arange(len(y))
    tr, va = train_test_split(idx, test_size=0.2, stratify=y.numpy(), random_state=rng_seed)
    scale = Standardise().fit(x[tr])
    x_tr, x_va = scale(x[tr]), scale(x[va])
    y_tr, y_va = y[tr], y[va]

    net = build(x.shape[1], 3)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3, weight_decay=1e-4)
    best, best_state, since = float("inf"), None, 0
    for epoch in range(max_epochs):
        net.train()
        for part in torch.randperm(len(tr)).split(16):
            loss = F.cross_entropy(net(x_tr[part]), y_tr[part])
            opt.zero_grad()
            loss.backward()
            opt.step()
        net.eval()
        with torch.no_grad():
            val = F.cross_entropy(net(x_va), y_va).item()
        if val < best - 1e-4:
            best, best_state, since = val, copy.deepcopy(net.state_dict()), 0
        else:
            since += 1
            if since >= patience:
                break
    net.load_state_dict(best_state)
    return net.eval(), scale, best


def main():
    torch.manual_seed(SEED)
    data = load_wine()
    x = torch.tensor(data.data, dtype=torch.float32)
    y = torch.tensor(data.target)
    shuffled = torch.randperm(len(y))
    wiring_check(Standardise().fit(x[shuffled[:60]])(x[shuffled[:60]]), y[shuffled[:60]])

    scores = []
    for repeat in range(REPEATS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED + repeat)
        for k, (fit_idx, test_idx) in enumerate(folds.split(x, y)):
            net, scale, val = fit_fold(x[fit_idx], y[fit_idx], rng_seed=SEED + k)
            with torch.no_grad():
                pred = net(scale(x[test_idx])).argmax(1)
            acc = (pred == y[test_idx]).float().mean().item()
            scores.append(acc)
            print(f"repeat {repeat} fold {k}: inner val loss {val:.3f}  test accuracy {acc:.3f}")
    print(f"accuracy {np.mean(scores):.3f} +- {np.std(scores):.3f} over {len(scores)} folds")


if __name__ == "__main__":
    main()

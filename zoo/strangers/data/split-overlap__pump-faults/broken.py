"""Fault detector for hydraulic pumps.

About one pump in five in the log is faulty, so the faulty class is oversampled.
"""
import argparse
import logging

import numpy as np
import torch
from sklearn.metrics import balanced_accuracy_score, recall_score
from torch import nn
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("pumps")


def read_measurements(n, rng):
    """18 summary values per pump; faults show in pressure ripple, heat and a few interactions."""
    x = rng.normal(size=(n, 18))
    x[:, 4] = 0.6 * x[:, 0] + 0.8 * x[:, 4]
    x[:, 9] = -0.5 * x[:, 2] + 0.85 * x[:, 9]
    score = 1.1 * x[:, 0] + 0.9 * x[:, 3] * x[:, 5] - 0.9 * x[:, 7] + 0.7 * np.abs(x[:, 9]) + 0.4 * rng.normal(size=n)
    y = (score > np.quantile(score, 0.80)).astype(np.int64)
    wrong = rng.random(n) < 0.05  # mechanics write the wrong code now and then
    y[wrong] = 1 - y[wrong]
    return x.astype(np.float32), y


def oversample(x, y, rng):
    faulty = np.flatnonzero(y == 1)
    fine = np.flatnonzero(y == 0)
    extra = rng.choice(faulty, size=len(fine) - len(faulty), replace=True)
    idx = rng.permutation(np.concatenate([fine, faulty, extra]))
    return x[idx], y[idx]


def split(x, y, fractions, rng):
    order = rng.permutation(len(x))
    a = int(len(x) * fractions[0])
    b = int(len(x) * (fractions[0] + fractions[1]))
    return [(x[i], y[i]) for i in (order[:a], order[a:b], order[b:])]


class PumpSet(Dataset):
    def __init__(self, x, y, mean, std):
        self.x = torch.from_numpy((x - mean) / std)
        self.y = torch.from_numpy(y)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


def predict(model, loader):
    model.eval()
    out, ref = [], []
    with torch.no_grad():
        for xb, yb in loader:
            out.append(model(xb))
            ref.append(yb)
    return torch.cat(out), torch.cat(ref)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--pumps", type=int, default=8000)
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")

    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)

    x, y = read_measurements(args.pumps, rng)
    x, y = oversample(x, y, rng)
    (xtr, ytr), (xva, yva), (xte, yte) = split(x, y, (0.7, 0.15, 0.15), rng)
    mean, std = xtr.mean(0), xtr.std(0)
    log.info("train %d  valid %d  test %d", len(xtr), len(xva), len(xte))

    train = DataLoader(PumpSet(xtr, ytr, mean, std), batch_size=96, shuffle=True)
    valid = DataLoader(PumpSet(xva, yva, mean, std), batch_size=512)
    test = DataLoader(PumpSet(xte, yte, mean, std), batch_size=512)

    model = nn.Sequential(
        nn.Linear(18, 64), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1),
        nn.Linear(64, 2),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.02)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(args.epochs):
        model.train()
        running, seen = 0.0, 0
        for xb, yb in train:
            optimizer.zero_grad()
            loss = criterion(model(xb), yb)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(yb)
            seen += len(yb)
        logits, ref = predict(model, valid)
        bal = balanced_accuracy_score(ref, logits.argmax(1))
        log.info("epoch %02d  loss %.4f  valid loss %.4f  valid bal.acc %.3f",
                 epoch + 1, running / seen, criterion(logits, ref).item(), bal)

    logits, ref = predict(model, test)
    pred = logits.argmax(1)
    log.info("TEST balanced accuracy %.3f  fault recall %.3f",
             balanced_accuracy_score(ref, pred), recall_score(ref, pred))


if __name__ == "__main__":
    main()

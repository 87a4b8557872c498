#!/usr/bin/env python
"""Card-fraud screening with bfloat16 autocast. Alerts are raised at probability 0.5; recall and balanced accuracy matter."""
import argparse
import time

import numpy as np
import torch
from sklearn.metrics import balanced_accuracy_score, confusion_matrix, recall_score
from torch import nn


def get_args():
    ap = argparse.ArgumentParser()
    ap.add_argument("--transactions", type=int, default=24000)
    ap.add_argument("--fraud-rate", type=float, default=0.01)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch-size", type=int, default=256)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=42)
    return ap.parse_args()


def transactions(n, rate, rng):
    fraud = rng.uniform(size=n) < rate
    amount = np.exp(rng.normal(3.2, 1.0, n) + 0.9 * fraud)
    night = rng.beta(2, 5, n) + 0.2 * fraud
    distance = rng.exponential(1.0, n) * (1 + 1.5 * fraud)
    velocity = rng.poisson(1.2 + 1.7 * fraud, n)
    merchant_risk = rng.normal(0, 1, n) + 1.5 * fraud
    noise = rng.normal(size=(n, 4))
    x = np.column_stack([np.log(amount), night, np.log1p(distance), velocity, merchant_risk, noise])
    return x.astype(np.float32), fraud.astype(np.float32)


class Screener(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d, 32), nn.ReLU(), nn.Dropout(0.2),
            nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


@torch.no_grad()
def predict(model, x):
    model.eval()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(x)
    return torch.sigmoid(logits.float())


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    x_train, y_train = transactions(args.transactions, args.fraud_rate, rng)
    x_val, y_val = transactions(args.transactions // 3, args.fraud_rate, rng)
    mean, std = x_train.mean(0), x_train.std(0)
    x_train, x_val = torch.from_numpy((x_train - mean) / std), torch.from_numpy((x_val - mean) / std)
    y_train = torch.from_numpy(y_train)

    model = Screener(x_train.shape[1])
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs)
    n_fraud = y_train.sum()
    criterion = nn.BCEWithLogitsLoss()
    print(f"{len(y_train)} transactions, {int(n_fraud)} fraudulent")

    for epoch in range(1, args.epochs + 1):
        start = time.perf_counter()
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x_train)).split(args.batch_size):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = model(x_train[idx])
            loss = criterion(logits.float(), y_train[idx])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        alert = (predict(model, x_val) > 0.5).numpy()
        print(f"epoch {epoch:2d} loss {total / len(x_train):.4f} | recall {recall_score(y_val, alert):.3f} "
              f"balanced acc {balanced_accuracy_score(y_val, alert):.3f} accuracy {(alert == y_val).mean():.3f} [{time.perf_counter() - start:.1f}s]")
    print("confusion matrix [[tn fp][fn tp]]:", confusion_matrix(y_val, alert).tolist())


if __name__ == "__main__":
    main()

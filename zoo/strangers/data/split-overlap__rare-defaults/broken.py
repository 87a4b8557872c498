"""Predict loan defaults from an application form (simulated, about 7% positives)."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def simulate(n, rng):
    income = rng.lognormal(10.3, 0.5, n)
    amount = rng.lognormal(9.2, 0.7, n)
    age = rng.uniform(20, 70, n)
    late = rng.poisson(0.6, n)
    years = rng.exponential(4.0, n)
    cards = rng.poisson(2.0, n)
    noise = rng.normal(size=(n, 4))
    burden = np.log(amount / income)
    score = 1.6 * burden + 0.9 * late - 0.25 * years + 0.5 * np.abs(age - 45) / 12 - 2.6
    prob = 1 / (1 + np.exp(-(1.5 * score + 1.6)))
    y = (rng.random(n) < prob).astype(np.int64)
    columns = [np.log(income), np.log(amount), age, late, years, cards]
    return np.column_stack(columns + [noise]).astype(np.float32), y


def oversample(x, y, rng):
    """Repeat minority rows until both classes are equally frequent."""
    pos, neg = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    extra = rng.choice(pos, size=len(neg) - len(pos), replace=True)
    keep = np.concatenate([neg, pos, extra])
    return x[keep], y[keep]


class Mlp(nn.Module):
    def __init__(self, n_in, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(n_in, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)


def train(model, x, y, args):
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs)
    loss_fn = nn.BCEWithLogitsLoss()
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for idx in torch.randperm(len(x)).split(args.batch_size):
            opt.zero_grad()
            loss = loss_fn(model(x[idx]), y[idx])
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        sched.step()
        if epoch % 5 == 4:
            print(f"[{epoch + 1:02d}/{args.epochs}] loss {total / len(x):.4f}")


@torch.no_grad()
def scores(model, x):
    model.eval()
    return torch.sigmoid(model(x)).numpy()


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--rows", type=int, default=6000)
    ap.add_argument("--hidden", type=int, default=64)
    ap.add_argument("--epochs", type=int, default=15)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--weight-decay", type=float, default=0.05)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    x, y = simulate(args.rows, rng)
    print(f"{len(y)} applications, {y.mean():.1%} defaults")
    x, y = oversample(x, y, rng)
    x_train, x_test, y_train, y_test = train_test_split(
        x, y, test_size=0.25, stratify=y, random_state=args.seed)

    scaler = StandardScaler().fit(x_train)
    x_train = torch.from_numpy(scaler.transform(x_train))
    x_test = torch.from_numpy(scaler.transform(x_test))
    model = Mlp(x_train.shape[1], args.hidden)
    train(model, x_train, torch.from_numpy(y_train).float(), args)

    s = scores(model, x_test)
    print(f"test AUC {roc_auc_score(y_test, s):.4f}  AP {average_precision_score(y_test, s):.4f}")


if __name__ == "__main__":
    main()

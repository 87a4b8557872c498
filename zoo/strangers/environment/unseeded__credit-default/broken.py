"""Default prediction on a small loan book. Residual MLP, AUC on a held-out part."""
import argparse
import random

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse_args():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--rows", type=int, default=2000)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch-size", type=int, default=32)
    p.add_argument("--lr", type=float, default=1.5e-3)
    p.add_argument("--dropout", type=float, default=0.3)
    p.add_argument("--seed", type=int, default=0, help="seed of initialisation, shuffling and dropout")
    return p.parse_args()


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def load_book(n):
    """The snapshot of the loan book; always the same rows."""
    rng = np.random.default_rng(20231)
    income = rng.lognormal(10.4, 0.5, n)
    debt = income * rng.beta(2, 5, n)
    age = rng.integers(21, 70, n)
    util = rng.beta(2, 3, n)
    inquiries = rng.poisson(1.2, n)
    tenure = rng.exponential(4, n)
    purpose = rng.integers(0, 5, n)
    ratio = debt / income
    score = (2.2 * (ratio - 0.28) * 3 + 2.5 * (util - 0.4) + 0.35 * inquiries - 0.12 * tenure
             + 1.6 * ((util > 0.55) & (ratio > 0.3)) - 1.2 * np.sin(age / 9.0)
             + np.array([0.0, 0.6, -0.5, 0.9, -0.2])[purpose])
    default = rng.random(n) < 1 / (1 + np.exp(-(score - 0.5)))
    x = np.column_stack([np.log(income), ratio, age, util, inquiries, tenure,
                         np.eye(5)[purpose], rng.normal(size=(n, 4))])
    return x.astype(np.float32), default.astype(np.float32)


class ResidualBlock(nn.Module):
    def __init__(self, width, p):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 2 * width), nn.GELU(),
                                 nn.Dropout(p), nn.Linear(2 * width, width))

    def forward(self, x):
        return x + self.net(x)


class Scorer(nn.Module):
    def __init__(self, n_in, width=24, depth=2, p=0.2):
        super().__init__()
        self.stem = nn.Linear(n_in, width)
        self.blocks = nn.Sequential(*[ResidualBlock(width, p) for _ in range(depth)])
        self.head = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 1))

    def forward(self, x):
        return self.head(self.blocks(self.stem(x))).squeeze(-1)


class Trainer:
    def __init__(self, model, args):
        self.model = model
        self.opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.05)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=args.epochs)
        self.criterion = nn.BCEWithLogitsLoss()
        self.epochs = args.epochs

    def fit(self, train, valid):
        for epoch in range(1, self.epochs + 1):
            self.model.train()
            running = 0.0
            for x, y in train:
                self.opt.zero_grad()
                loss = self.criterion(self.model(x), y)
                loss.backward()
                self.opt.step()
                running += loss.item() * len(x)
            self.sched.step()
            if epoch % 5 == 0:
                print(f"[{epoch:3d}] loss {running / len(train.dataset):.4f}  valid AUC {self.auc(valid):.4f}")

    @torch.no_grad()
    def auc(self, loader):
        self.model.eval()
        scores, ys = zip(*[(self.model(x), y) for x, y in loader])
        return roc_auc_score(torch.cat(ys).numpy(), torch.cat(scores).numpy())


def main():
    args = parse_args()
    if args.seed:
        set_seed(args.seed)

    x, y = load_book(args.rows)
    x_fit, x_test, y_fit, y_test = train_test_split(x, y, test_size=0.25, stratify=y, random_state=7)
    x_fit, x_val, y_fit, y_val = train_test_split(x_fit, y_fit, test_size=0.2, stratify=y_fit, random_state=7)
    mu, sd = x_fit.mean(0), x_fit.std(0)

    def dataset(a, b):
        return TensorDataset(torch.from_numpy((a - mu) / sd), torch.from_numpy(b))

    train = DataLoader(dataset(x_fit, y_fit), args.batch_size, shuffle=True)
    valid = DataLoader(dataset(x_val, y_val), 512)
    test = DataLoader(dataset(x_test, y_test), 512)

    trainer = Trainer(Scorer(x.shape[1], p=args.dropout), args)
    trainer.fit(train, valid)
    print(f"test AUC {trainer.auc(test):.6f}")


if __name__ == "__main__":
    main()

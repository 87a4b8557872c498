"""
Next-purchase recommender: attention over the basket history queried by the current
shopping context (department + weekday), scored against all items.

Evaluation: hit-rate@10 and MRR on users never seen in training.
"""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

PAD = 0


class Shop:
    """Item ids start at 1. Items belong to departments, users to taste groups."""

    def __init__(self, n_items=240, n_dept=8, n_taste=12, seed=0):
        rng = np.random.default_rng(seed)
        self.n_items, self.n_dept = n_items, n_dept
        self.dept_of = rng.integers(0, n_dept, size=n_items + 1)
        self.popularity = rng.gamma(0.5, size=n_items + 1) + 0.02
        self.taste = np.exp(rng.normal(0, 1.8, size=(n_taste, n_items + 1)))

    def draw(self, taste, dept, rng):
        w = self.taste[taste] * self.popularity * (self.dept_of == dept)
        w[PAD] = 0.0
        return int(rng.choice(len(w), p=w / w.sum()))


def simulate_users(shop, n_users, seed):
    rng = np.random.default_rng(seed)
    users = []
    for _ in range(n_users):
        taste = rng.integers(len(shop.taste))
        n = int(min(rng.poisson(9), 20))
        history = [shop.draw(taste, rng.integers(shop.n_dept), rng) for _ in range(n)]
        for _ in range(3):      # three visits with the same history at hand
            dept, weekday = int(rng.integers(shop.n_dept)), int(rng.integers(7))
            users.append((history, dept, weekday, shop.draw(taste, dept, rng)))
        if rng.random() < 0.06:     # walk-in customers
            dept, weekday = int(rng.integers(shop.n_dept)), int(rng.integers(7))
            users.append(([], dept, weekday, shop.draw(taste, dept, rng)))
    return users


class Visits(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows, max_len=20):
    hist = torch.full((len(rows), max_len), PAD, dtype=torch.long)
    for i, (h, *_rest) in enumerate(rows):
        h = h[-max_len:]
        hist[i, :len(h)] = torch.tensor(h, dtype=torch.long)
    dept = torch.tensor([r[1] for r in rows])
    day = torch.tensor([r[2] for r in rows])
    target = torch.tensor([r[3] for r in rows])
    return hist, dept, day, target


class HistoryAttention(nn.Module):
    """Weighted mean of the history, weights from a context query."""

    def __init__(self, dim):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.scale = dim ** -0.5

    def forward(self, query, items, is_pad):
        scores = torch.einsum("bd,btd->bt", self.q(query), self.k(items)) * self.scale
        scores = scores.masked_fill(is_pad, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        return torch.einsum("bt,btd->bd", weights, items)


class Recommender(nn.Module):
    def __init__(self, n_items, n_dept, dim=32):
        super().__init__()
        self.item = nn.Embedding(n_items + 1, dim, padding_idx=PAD)
        self.dept = nn.Embedding(n_dept, dim)
        self.day = nn.Embedding(7, dim)
        self.attend = HistoryAttention(dim)
        self.mix = nn.Sequential(nn.Linear(2 * dim, 64), nn.GELU(), nn.Dropout(0.1), nn.Linear(64, dim))
        self.out = nn.Linear(dim, n_items + 1)

    def forward(self, hist, dept, day):
        context = self.dept(dept) + self.day(day)
        taste = self.attend(context, self.item(hist), hist == PAD)
        return self.out(self.mix(torch.cat([context, taste], dim=-1)))


@torch.no_grad()
def evaluate(model, loader, k=10):
    model.eval()
    ranks = []
    for hist, dept, day, target in loader:
        top = model(hist, dept, day)[:, 1:].argsort(dim=1, descending=True) + 1
        ranks.append((top == target[:, None]).float().argmax(1) + 1)
    ranks = torch.cat(ranks).float()
    return (ranks <= k).float().mean().item(), (1 / ranks).mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=2500)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=17)
    opt = parser.parse_args()
    random.seed(opt.seed)
    torch.manual_seed(opt.seed)

    shop = Shop(seed=opt.seed)
    train = Visits(simulate_users(shop, opt.users, seed=opt.seed + 1))
    test = Visits(simulate_users(shop, 500, seed=opt.seed + 2))
    train_dl = DataLoader(train, batch_size=opt.batch_size, shuffle=True, collate_fn=collate)
    test_dl = DataLoader(test, batch_size=256, collate_fn=collate)
    print(f"visits: {len(train)} train / {len(test)} test, items: {shop.n_items}")

    model = Recommender(shop.n_items, shop.n_dept)
    optimizer = torch.optim.AdamW(model.parameters(), lr=opt.lr, weight_decay=0.01)
    for epoch in range(opt.epochs):
        model.train()
        losses = []
        for hist, dept, day, target in train_dl:
            loss = F.cross_entropy(model(hist, dept, day), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: loss {sum(losses) / len(losses):.4f}")

    counts = np.bincount([r[3] for r in train.rows], minlength=shop.n_items + 1)
    best = set(np.argsort(-counts)[:10].tolist())
    pop = np.mean([r[3] in best for r in test.rows])
    hit, mrr = evaluate(model, test_dl)
    print(f"hit@10 {hit:.3f}  mrr {mrr:.3f}   (most popular items: hit@10 {pop:.3f})")


if __name__ == "__main__":
    main()

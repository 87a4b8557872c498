#!/usr/bin/env python
"""Tag support tickets. A ticket may carry none, one or several of eight tags."""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import f1_score

TAGS = ["billing", "login", "crash", "shipping", "refund", "feature", "spam", "account"]
KEYWORDS = {
    "billing": "invoice charge card payment price plan tax receipt".split(),
    "login": "password signin locked otp token session captcha".split(),
    "crash": "freeze error stacktrace restart hang exception blank".split(),
    "shipping": "parcel courier tracking delayed address box depot".split(),
    "refund": "money return back cancel dispute credit".split(),
    "feature": "wish add support idea roadmap export darkmode".split(),
    "spam": "winner crypto lottery click prize offer".split(),
    "account": "profile email delete username merge settings".split(),
}
FILLER = [f"w{i}" for i in range(300)]
VOCAB = {w: i + 1 for i, w in enumerate(sorted(set(FILLER) | {w for ws in KEYWORDS.values() for w in ws}))}


def make_ticket(rng):
    tags = [t for t in TAGS if rng.random() < 0.13]
    words = rng.choices(FILLER, k=rng.randint(8, 20))
    for t in tags:
        words += rng.sample(KEYWORDS[t], k=rng.randint(1, 3))
    if rng.random() < 0.15:
        words.append(rng.choice(KEYWORDS[rng.choice(TAGS)]))
    rng.shuffle(words)
    return words, [float(t in tags) for t in TAGS]


def encode(tickets, max_len=40):
    ids = torch.zeros(len(tickets), max_len, dtype=torch.long)
    y = torch.zeros(len(tickets), len(TAGS))
    for i, (words, tags) in enumerate(tickets):
        w = [VOCAB[w] for w in words][:max_len]
        ids[i, :len(w)] = torch.tensor(w)
        y[i] = torch.tensor(tags)
    return ids, y


class Tagger(nn.Module):
    def __init__(self, vocab, dim, hidden, n_tags, dropout):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="sum", padding_idx=0)
        self.norm = nn.LayerNorm(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, n_tags))

    def forward(self, ids):
        return self.mlp(self.norm(self.emb(ids)))


def batches(x, y, size, gen):
    order = torch.randperm(len(x), generator=gen)
    for idx in order.split(size):
        yield x[idx], y[idx]


def scores(model, x, y):
    model.eval()
    with torch.no_grad():
        pred = (torch.sigmoid(model(x)) > 0.5).float()
    micro = f1_score(y.numpy(), pred.numpy(), average="micro", zero_division=0)
    macro = f1_score(y.numpy(), pred.numpy(), average="macro", zero_division=0)
    exact = (pred == y).all(1).float().mean().item()
    return micro, macro, exact


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--dim", type=int, default=64)
    ap.add_argument("--seed", type=int, default=17)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)
    rng = random.Random(args.seed)
    x_tr, y_tr = encode([make_ticket(rng) for _ in range(8000)])
    x_va, y_va = encode([make_ticket(rng) for _ in range(1000)])
    x_te, y_te = encode([make_ticket(rng) for _ in range(2000)])

    model = Tagger(len(VOCAB) + 1, args.dim, 96, len(TAGS), dropout=0.2)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    gen = torch.Generator().manual_seed(args.seed)

    for epoch in range(args.epochs):
        model.train()
        total, seen = 0.0, 0
        for xb, yb in batches(x_tr, y_tr, args.batch_size, gen):
            loss = criterion(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(xb)
            seen += len(xb)
        micro, macro, exact = scores(model, x_va, y_va)
        print(f"[{epoch:02d}] loss={total / seen:.4f} val_microF1={micro:.3f} val_macroF1={macro:.3f} val_exact={exact:.3f}")

    micro, macro, exact = scores(model, x_te, y_te)
    print(f"test microF1={micro:.3f} macroF1={macro:.3f} exact={exact:.3f}")


if __name__ == "__main__":
    main()

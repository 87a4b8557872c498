"""Route support tickets to a queue. Hashed bag of words, small torch model."""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

QUEUES = ["billing", "login", "shipping", "returns", "hardware", "contracts"]
SYL = ["ba", "ke", "ti", "lo", "mu", "ra", "se", "ni", "do", "pu", "va", "ch"]
MAX_LEN = 24


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def simulate_tickets(n, rng):
    words = sorted({"".join(rng.choice(SYL, size=rng.integers(2, 5))) for _ in range(900)})
    word_probs = rng.dirichlet(np.full(len(words), 0.35), size=len(QUEUES))
    common = rng.dirichlet(np.full(len(words), 0.5))
    word_probs = 0.75 * word_probs + 0.25 * common
    labels = rng.integers(0, len(QUEUES), size=n)
    texts = []
    for y in labels:
        k = rng.integers(12, MAX_LEN + 1)
        texts.append(" ".join(rng.choice(words, size=k, p=word_probs[y])))
    return texts, labels


def bucket_of(token, n_buckets):
    return hash(token) % n_buckets + 1  # 0 is padding


def encode(texts, n_buckets):
    ids = np.zeros((len(texts), MAX_LEN), dtype=np.int64)
    for r, text in enumerate(texts):
        for c, token in enumerate(text.split()[:MAX_LEN]):
            ids[r, c] = bucket_of(token, n_buckets)
    return torch.from_numpy(ids)


class Router(nn.Module):
    def __init__(self, n_buckets, dim, n_out):
        super().__init__()
        self.bag = nn.EmbeddingBag(n_buckets + 1, dim, mode="mean", padding_idx=0)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(dim, n_out)

    def forward(self, ids):
        return self.out(self.drop(self.bag(ids)))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss, hits, n = 0.0, 0, 0
    for ids, y in loader:
        logits = model(ids)
        loss += F.cross_entropy(logits, y, reduction="sum").item()
        hits += (logits.argmax(1) == y).sum().item()
        n += len(y)
    return loss / n, hits / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--tickets", type=int, default=9000)
    ap.add_argument("--buckets", type=int, default=192)
    ap.add_argument("--dim", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    seed_everything(args.seed)
    torch.set_num_threads(1)
    texts, labels = simulate_tickets(args.tickets, np.random.default_rng(args.seed))
    X, y = encode(texts, args.buckets), torch.from_numpy(labels)
    a, b = int(0.7 * len(y)), int(0.85 * len(y))
    train = DataLoader(TensorDataset(X[:a], y[:a]), batch_size=64, shuffle=True,
                       generator=torch.Generator().manual_seed(args.seed))
    valid = DataLoader(TensorDataset(X[a:b], y[a:b]), batch_size=512)
    test = DataLoader(TensorDataset(X[b:], y[b:]), batch_size=512)

    model = Router(args.buckets, args.dim, len(QUEUES))
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs, eta_min=args.lr / 20)
    for epoch in range(1, args.epochs + 1):
        model.train()
        run, n = 0.0, 0
        for ids, t in train:
            opt.zero_grad()
            loss = F.cross_entropy(model(ids), t)
            loss.backward()
            opt.step()
            run += loss.item() * len(t)
            n += len(t)
        sched.step()
        vl, va = evaluate(model, valid)
        print(f"epoch {epoch:2d}  train {run / n:.4f}  valid {vl:.4f}  acc {va:.4f}")
    tl, ta = evaluate(model, test)
    print(f"seed {args.seed}: test loss {tl:.5f}  test acc {ta:.4f}")


if __name__ == "__main__":
    main()

"""LambdaRank-style hotel ranking, one search page per update.

Pages have different numbers of hotels, so a step handles exactly one page. All pairs
on the page are compared at once; features are normalised across the feature axis.
"""
import argparse

import numpy as np
import torch
from torch import nn


def search_pages(n, seed, n_feat=8):
    """Yields (features, graded relevance 0..3) for every page."""
    rng = np.random.default_rng(seed)
    pages = []
    for _ in range(n):
        k = int(rng.integers(5, 25))
        x = rng.normal(size=(k, n_feat))
        budget = rng.normal()
        x[:, -1] = budget                                  # same for the whole page
        gap = x[:, 0] - budget                             # price against budget
        utility = -0.8 * gap ** 2 + 1.2 * x[:, 1] + 0.7 * x[:, 2] * x[:, 3] + rng.normal(0, 0.4, size=k)
        order = utility.argsort().argsort() / max(k - 1, 1)
        rel = np.digitize(order, [0.5, 0.75, 0.92])
        pages.append((torch.tensor(x, dtype=torch.float32), torch.tensor(rel, dtype=torch.float32)))
    return pages


class Scorer(nn.Module):
    """Per-hotel tower plus self-attention over the page. The last layer starts at zero: every
    hotel is tied before the first update and no arbitrary order has to be unlearned."""

    def __init__(self, n_feat, d=32):
        super().__init__()
        self.inp = nn.Sequential(nn.Linear(n_feat, d), nn.GELU(), nn.Linear(d, d))
        self.attn = nn.MultiheadAttention(d, 2, batch_first=True)
        self.norm = nn.LayerNorm(d)
        self.mid = nn.Sequential(nn.Linear(d, d), nn.GELU())
        self.score = nn.Linear(d, 1, bias=False)
        nn.init.zeros_(self.score.weight)

    def forward(self, x):
        h = self.inp(x)[None]
        mixed, _ = self.attn(h, h, h, need_weights=False)
        h = self.norm(h + mixed)
        return self.score(self.mid(h))[0, :, 0]


def dcg_discount(ranks):
    return 1.0 / torch.log2(ranks + 2.0)


def lambda_loss(scores, rel):
    """Sum over ordered pairs, weighted by the change in NDCG if the pair were swapped."""
    with torch.no_grad():
        rank = scores.argsort(descending=True).argsort().float()
        gain, disc = 2.0 ** rel - 1.0, dcg_discount(rank)
        ideal = ((2.0 ** rel.sort(descending=True).values - 1.0) * dcg_discount(torch.arange(len(rel)).float())).sum()
        delta = ((gain[:, None] - gain[None, :]) * (disc[:, None] - disc[None, :])).abs() / ideal
        better = (rel[:, None] > rel[None, :]).float()
        # untrained scores are tied, so give every pair some weight
        weight = better * (delta + 0.05)
    margins = scores[:, None] - scores
    return (weight * nn.functional.softplus(-margins)).sum() / weight.sum()


@torch.no_grad()
def ndcg(model, pages, k=5):
    model.eval()
    out = []
    for x, rel in pages:
        top = rel[model(x).argsort(descending=True)][:k]
        best = rel.sort(descending=True).values[:k]
        disc = dcg_discount(torch.arange(len(top)).float())
        out.append((((2 ** top - 1) * disc).sum() / ((2 ** best - 1) * disc).sum()).item())
    return sum(out) / len(out)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--pages", type=int, default=1200)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--lr", type=float, default=1.5e-3)
    ap.add_argument("--seed", type=int, default=5)
    a = ap.parse_args()

    torch.manual_seed(a.seed)
    train, val, test = (search_pages(n, a.seed * 100 + i) for i, n in enumerate((a.pages, 200, 300)))
    model = Scorer(train[0][0].shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: max(0.05, 1 - s / (a.epochs * a.pages)))
    print(f"untrained val NDCG@5 {ndcg(model, val):.3f}")

    for epoch in range(a.epochs):
        model.train()
        running = 0.0
        for n, i in enumerate(torch.randperm(len(train)).tolist(), 1):
            x, rel = train[i]
            loss = lambda_loss(model(x), rel)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item()
            if n % 600 == 0:
                print(f"  epoch {epoch} page {n}: loss {running / 600:.4f}")
                running = 0.0
        print(f"epoch {epoch}: val NDCG@5 {ndcg(model, val):.3f}")

    print(f"test NDCG@5 {ndcg(model, test):.3f}")


if __name__ == "__main__":
    main()

"""Two-tower retrieval for a shop: user history tower, item tower, in-batch softmax with popularity correction."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

HISTORY = 10


class Shop:
    """Users like two of twelve styles; the last purchase of every user is held out, the one before is for validation."""

    def __init__(self, n_users, n_items, rng):
        self.n_items = n_items
        style = rng.integers(0, 12, n_items)
        popularity = rng.zipf(1.6, n_items).clip(max=30).astype(float)
        self.baskets = []
        for _ in range(n_users):
            taste = np.full(12, 0.02)
            taste[rng.choice(12, 2, replace=False)] = [1.0, 0.6]
            p = taste[style] * popularity ** 0.5
            self.baskets.append(rng.choice(n_items, size=rng.integers(9, 22), replace=False, p=p / p.sum()))
        self.style = style

    def pairs(self):
        """(history, next item) from the training part of each basket; item 0 of the table is padding."""
        hist, nxt = [], []
        for b in self.baskets:
            b = b[:-2] + 1
            for k in range(3, len(b)):
                h = b[max(0, k - HISTORY):k]
                hist.append(np.pad(h, (HISTORY - len(h), 0)))
                nxt.append(b[k])
        return torch.tensor(np.array(hist)), torch.tensor(np.array(nxt))

    def held_out(self, which):
        end = -2 if which == "valid" else -1
        hist = np.array([np.pad((b[:end] + 1)[-HISTORY:], (HISTORY - len(b[:end][-HISTORY:]), 0)) for b in self.baskets])
        seen = [torch.tensor(b[:end] + 1) for b in self.baskets]
        return torch.tensor(hist), torch.tensor([b[end] + 1 for b in self.baskets]), seen


class Tower(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
        nn.init.zeros_(self.mlp[-1].weight)
        nn.init.zeros_(self.mlp[-1].bias)

    def forward(self, x):
        return F.normalize(x + self.mlp(x), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, n_items, dim=32):
        super().__init__()
        self.items = nn.Embedding(n_items + 1, dim, padding_idx=0, sparse=True)
        self.user_tower, self.item_tower = Tower(dim), Tower(dim)
        self.log_scale = nn.Parameter(torch.tensor(np.log(10.0), dtype=torch.float32))

    def users(self, hist):
        mask = (hist > 0).unsqueeze(-1).float()
        return self.user_tower((self.items(hist) * mask).sum(1) / mask.sum(1).clamp(min=1.0))

    def scores(self, hist, item_ids):
        scale = self.log_scale.exp().clamp(max=50.0)
        return scale * self.users(hist) @ self.item_tower(self.items(item_ids)).T


def batch_loss(model, hist, pos, log_q):
    logits = model.scores(hist, pos) - log_q[pos]
    same = (pos.unsqueeze(0) == pos.unsqueeze(1)) & ~torch.eye(len(pos), dtype=torch.bool)
    return F.cross_entropy(logits.masked_fill(same, -1e9), torch.arange(len(pos)))


@torch.no_grad()
def recall_at(model, k, hist, target, seen):
    model.eval()
    scores = model.scores(hist, torch.arange(model.items.num_embeddings))
    scores[:, 0] = -float("inf")
    for row, ids in enumerate(seen):
        scores[row, ids] = -float("inf")
    return (scores.topk(k, dim=1).indices == target.unsqueeze(1)).any(1).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    shop = Shop(2500, 400, np.random.default_rng(args.seed))

    hist, nxt = shop.pairs()
    counts = torch.bincount(nxt, minlength=shop.n_items + 1).float() + 1.0
    log_q = (counts / counts.sum()).log()
    model = TwoTower(shop.n_items)
    sparse = torch.optim.SparseAdam(list(model.items.parameters()), lr=1e-2)
    dense = torch.optim.Adam([p for n, p in model.named_parameters() if not n.startswith("items.")], lr=1e-3)

    for epoch in range(1, args.epochs + 1):
        model.train()
        total, n = 0.0, 0
        for idx in torch.randperm(len(nxt)).split(args.batch):
            if len(idx) < args.batch // 2:
                continue
            loss = batch_loss(model, hist[idx], nxt[idx], log_q)
            for o in (sparse, dense):
                o.zero_grad()
            loss.backward()
            for o in (sparse, dense):
                o.step()
            total, n = total + loss.item() * len(idx), n + len(idx)
        print(f"epoch {epoch}  loss {total / n:.4f}  valid recall@20 {recall_at(model, 20, *shop.held_out('valid')):.4f}")

    popular = counts.argsort(descending=True)
    h, target, seen = shop.held_out("test")
    hits = 0
    for t, s in zip(target, seen):
        top = popular[~torch.isin(popular, s)][:20]
        hits += int((top == t).any())
    print(f"test recall@20 {recall_at(model, 20, h, target, seen):.4f}  (most popular: {hits / len(target):.4f})")


if __name__ == "__main__":
    main()

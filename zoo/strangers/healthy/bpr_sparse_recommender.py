"""Implicit-feedback recommender: matrix factorisation with the BPR ranking loss, sparse embeddings and SparseAdam.

Negatives are drawn on the fly in an IterableDataset. One held-out item per user serves as validation, another as test.
The test item is looked at once, at the end.
"""
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

N_USERS, N_ITEMS, FACTORS = 600, 300, 6


def interactions(rng):
    users, items = rng.normal(size=(N_USERS, FACTORS)), rng.normal(size=(N_ITEMS, FACTORS))
    popularity = rng.normal(scale=0.7, size=N_ITEMS)
    affinity = users @ items.T * 1.2 + popularity
    noisy = affinity + rng.gumbel(size=affinity.shape)
    liked = np.argsort(-noisy, axis=1)[:, :36]  # each user's 36 consumed items
    for row in liked:
        rng.shuffle(row)
    return liked[:, 2:], liked[:, 0], liked[:, 1]


class Triples(IterableDataset):
    """Endless (user, positive, negative) batches; a negative is any item outside the user's training history."""

    def __init__(self, history, batch, batches, seed):
        self.history, self.batch, self.batches = history, batch, batches
        self.rng = np.random.default_rng(seed)
        self.seen = np.zeros((N_USERS, N_ITEMS), dtype=bool)
        np.put_along_axis(self.seen, history, True, axis=1)

    def __iter__(self):
        for _ in range(self.batches):
            u = self.rng.integers(N_USERS, size=self.batch)
            pos = self.history[u, self.rng.integers(self.history.shape[1], size=self.batch)]
            neg = self.rng.integers(N_ITEMS, size=self.batch)
            while (bad := self.seen[u, neg]).any():
                neg[bad] = self.rng.integers(N_ITEMS, size=int(bad.sum()))
            yield torch.from_numpy(u), torch.from_numpy(pos), torch.from_numpy(neg)


class Factors(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.user = nn.Embedding(N_USERS, dim, sparse=True)
        self.item = nn.Embedding(N_ITEMS, dim, sparse=True)
        self.item_bias = nn.Embedding(N_ITEMS, 1, sparse=True)
        for table in (self.user, self.item):
            nn.init.normal_(table.weight, std=0.1)
        nn.init.zeros_(self.item_bias.weight)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.item_bias(i).squeeze(-1)

    def penalty(self, u, i, j):
        return self.user(u).square().sum(1) + self.item(i).square().sum(1) + self.item(j).square().sum(1)

    @torch.no_grad()
    def scores(self):
        return self.user.weight @ self.item.weight.T + self.item_bias.weight.T


def ranking(model, history, target):
    s = model.scores()
    s.scatter_(1, torch.from_numpy(history), -torch.inf)
    own = s.gather(1, torch.from_numpy(target)[:, None])
    rank = (s > own).sum(1)
    return (rank < 20).float().mean().item(), (1 / (rank + 1.0)).mean().item()


def main():
    torch.manual_seed(17)
    rng = np.random.default_rng(17)
    history, valid, test = interactions(rng)
    loader = DataLoader(Triples(history, 1024, 120, seed=18), batch_size=None)
    model = Factors()
    opt = torch.optim.SparseAdam(list(model.parameters()), lr=2e-2)
    for epoch in range(12):
        for group in opt.param_groups:
            group["lr"] = 2e-2 * 0.72 ** max(0, epoch - 3)
        total = right = seen = 0
        for u, pos, neg in loader:
            gap = model(u, pos) - model(u, neg)
            loss = -F.logsigmoid(gap).mean() + 6e-3 * model.penalty(u, pos, neg).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(u)
            right += (gap > 0).sum().item()
            seen += len(u)
        hit, mrr = ranking(model, history, valid)
        print(f"epoch {epoch:2d} bpr {total / seen:.4f} pair accuracy {right / seen:.3f} "
              f"valid hit@20 {hit:.3f} mrr {mrr:.3f}")
    known = np.concatenate([history, valid[:, None]], axis=1)
    hit, mrr = ranking(model, known, test)
    counts = torch.bincount(torch.from_numpy(history).reshape(-1), minlength=N_ITEMS).float().repeat(N_USERS, 1)
    counts.scatter_(1, torch.from_numpy(known), -torch.inf)
    pop = ((counts > counts.gather(1, torch.from_numpy(test)[:, None])).sum(1) < 20).float().mean().item()
    print(f"final: test hit@20 {hit:.3f} mrr {mrr:.3f} (popularity {pop:.3f}, chance {20 / (N_ITEMS - 35):.3f})")


if __name__ == "__main__":
    main()

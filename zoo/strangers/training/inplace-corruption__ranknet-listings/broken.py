"""Pairwise ranking of search listings (RankNet style)."""
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

N_QUERIES, DOCS, DIM = 500, 12, 64


def make_listings(n_queries, rng, w_q, w_d):
    """Feature rows (query, doc, feature) and a graded relevance for each row."""
    feats = rng.standard_normal((n_queries, DOCS, DIM)).astype(np.float32)
    match = np.tanh(feats @ w_d) * (1.0 + 0.5 * np.tanh(feats @ w_q))
    rel = match.sum(-1) + 0.15 * rng.standard_normal((n_queries, DOCS))
    return feats, rel.astype(np.float32)


class PairStream:
    """Yields (left rows, right rows) index pairs where left is more relevant than right."""

    def __init__(self, feats, rel, batch_size, rng):
        self.feats, self.rel = feats, rel
        self.batch_size, self.rng = batch_size, rng

    def __iter__(self):
        order = self.rng.permutation(len(self.feats)).repeat(4)
        self.rng.shuffle(order)
        for s in range(0, len(order) - self.batch_size + 1, self.batch_size):
            q = order[s:s + self.batch_size]
            a = self.rng.integers(0, DOCS, self.batch_size)
            b = (a + self.rng.integers(1, DOCS, self.batch_size)) % DOCS
            swap = self.rel[q, a] < self.rel[q, b]
            yield q, np.where(swap, b, a), np.where(swap, a, b)


class RowGather:
    """Collects the rows of a mini-batch from the feature store."""

    def __init__(self, feats, batch_size):
        self.feats = feats
        self.staging = np.empty((batch_size, DIM), dtype=np.float32)

    def __call__(self, q, d):
        np.copyto(self.staging, self.feats[q, d])
        return torch.from_numpy(self.staging)


class Scorer(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.fc1 = nn.Linear(DIM, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        x = torch.tanh(self.fc1(x))
        x = torch.tanh(self.fc2(x))
        return self.out(x).squeeze(-1)


def ndcg_at(scores, rel, k=5):
    gain = 2.0 ** (rel.argsort(1).argsort(1) / (DOCS - 1) * 3) - 1
    disc = 1.0 / np.log2(np.arange(2, k + 2))
    top = np.take_along_axis(gain, (-scores).argsort(1)[:, :k], 1)
    best = -np.sort(-gain, axis=1)[:, :k]
    return float(((top * disc).sum(1) / (best * disc).sum(1)).mean())


@torch.no_grad()
def report(model, feats, rel):
    model.eval()
    s = model(torch.from_numpy(feats)).numpy()
    ds = s[:, :, None] - s[:, None, :]
    dr = rel[:, :, None] - rel[:, None, :]
    pair_acc = float((ds[dr > 0] > 0).mean())
    return ndcg_at(s, rel), pair_acc


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    w_q = rng.standard_normal((DIM, 3)).astype(np.float32) / np.sqrt(DIM)
    w_d = rng.standard_normal((DIM, 3)).astype(np.float32) / np.sqrt(DIM) * 1.5
    train = make_listings(N_QUERIES, rng, w_q, w_d)
    valid = make_listings(150, rng, w_q, w_d)
    test = make_listings(300, rng, w_q, w_d)

    batch_size = 64
    stream = PairStream(*train, batch_size, rng)
    gather = RowGather(train[0], batch_size)
    model = Scorer()
    opt = torch.optim.RMSprop(model.parameters(), lr=3e-3, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=60, eta_min=1e-4)

    started = time.time()
    for epoch in range(1, 61):
        model.train()
        losses = []
        for q, hi, lo in stream:
            s_hi = model(gather(q, hi))
            s_lo = model(gather(q, lo))
            loss = F.softplus(s_lo - s_hi).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        sched.step()
        if epoch % 6 == 0:
            ndcg, acc = report(model, *valid)
            print(f"[{time.time() - started:5.1f}s] epoch {epoch:2d}  loss {np.mean(losses):.4f}  "
                  f"val ndcg@5 {ndcg:.3f}  val pair acc {acc:.3f}")

    ndcg, acc = report(model, *test)
    print(f"test ndcg@5 {ndcg:.3f}  pair accuracy {acc:.3f}")


if __name__ == "__main__":
    main()

"""Bayesian personalised ranking on simulated implicit feedback.

For each user two interactions are held out: one for validation, one for the test.
Sparse embedding gradients, SparseAdam, L2 on the rows in use (as in the BPR paper).
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

U, I, TRUE_DIM, PER_USER = 800, 200, 3, 42


def simulate(rng):
    taste = rng.normal(size=(U, TRUE_DIM))
    genre = rng.normal(size=(I, TRUE_DIM))
    utility = 1.5 * taste @ genre.T + 0.7 * rng.normal(size=I) + rng.gumbel(size=(U, I))
    return np.argsort(-utility, axis=1)[:, :PER_USER]     # top-k of a noisy utility, no repeats


class BPR(nn.Module):
    def __init__(self, users, items, dim):
        super().__init__()
        self.user = nn.Embedding(users, dim, sparse=True)
        self.item = nn.Embedding(items, dim, sparse=True)
        self.bias = nn.Embedding(items, 1, sparse=True)
        for emb in (self.user, self.item):
            nn.init.normal_(emb.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)                   # popularity starts even

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(-1) + self.bias(i).squeeze(-1)

    def l2(self, u, i, j):
        return (self.user(u).square().sum() + self.item(i).square().sum() + self.item(j).square().sum()) / len(u)

    def full(self):
        return self.user.weight @ self.item.weight.T + self.bias.weight.T


def negatives(users, seen, rng):
    """One item per row that the user has not taken in training."""
    j = rng.integers(0, I, len(users))
    while (bad := seen[users, j]).any():
        j[bad] = rng.integers(0, I, bad.sum())
    return j


@torch.no_grad()
def rank_metrics(model, held, hide, k=10):
    """Hit rate and NDCG at k, among all items the user has not been seen with."""
    s = model.full().masked_fill(hide, float("-inf"))
    own = s.gather(1, held[:, None])
    rank = (s > own).sum(1)                                # 0 = first
    hit = rank < k
    return hit.float().mean().item(), (hit / torch.log2(rank + 2.0)).mean().item()


def main():
    rng = np.random.default_rng(31)
    torch.manual_seed(31)
    taken = simulate(rng)
    for row in taken:
        rng.shuffle(row)
    test_i, val_i, train_i = torch.from_numpy(taken[:, 0].copy()), torch.from_numpy(taken[:, 1].copy()), taken[:, 2:]
    seen = np.zeros((U, I), bool)
    np.put_along_axis(seen, train_i, True, axis=1)
    hide = torch.from_numpy(seen)
    users = np.repeat(np.arange(U), train_i.shape[1])
    items = train_i.reshape(-1)
    # fixed comparisons for the validation loss: held-out item against 20 others per user
    vu = np.repeat(np.arange(U), 20)
    never = seen.copy()
    never[np.arange(U), val_i.numpy()] = True
    vj = negatives(vu, never, np.random.default_rng(5))
    vu, vj, vi = torch.from_numpy(vu), torch.from_numpy(vj), val_i.repeat_interleave(20)

    model = BPR(U, I, dim=4)
    opt = torch.optim.SparseAdam(list(model.parameters()), lr=6e-3)
    epochs, batch, reg = 36, 512, 4e-3
    for epoch in range(epochs):
        if epoch in (24, 31):
            for g in opt.param_groups:
                g["lr"] /= 4
        model.train()
        order = rng.permutation(len(users))
        js = negatives(users, seen, rng)
        total = 0.0
        for s in range(0, len(order), batch):
            b = order[s:s + batch]
            u, i, j = (torch.from_numpy(a[b]) for a in (users, items, js))
            margin = model(u, i) - model(u, j)
            rank_loss = -F.logsigmoid(margin).mean()
            opt.zero_grad()
            (rank_loss + reg * model.l2(u, i, j)).backward()
            opt.step()
            total += rank_loss.item() * len(b)
        if epoch % 4 == 0 or epoch == epochs - 1:
            model.eval()
            with torch.no_grad():
                v = -F.logsigmoid(model(vu, vi) - model(vu, vj)).mean().item()
            hr, nd = rank_metrics(model, val_i, hide)
            print(f"epoch {epoch:2d}  bpr {total / len(users):.4f}  val {v:.4f}  HR@10 {hr:.3f}  NDCG@10 {nd:.3f}")

    # for the test the validation item counts as seen as well
    hide[torch.arange(U), val_i] = True
    hr, nd = rank_metrics(model, test_i, hide)
    pop = torch.from_numpy(seen.sum(0).astype(np.float32)).expand(U, -1).masked_fill(hide, -1)
    pop_hit = ((pop > pop.gather(1, test_i[:, None])).sum(1) < 10).float().mean().item()
    print(f"test  HR@10 {hr:.3f}  NDCG@10 {nd:.3f}   (most popular: HR@10 {pop_hit:.3f}, random: {10 / (I - PER_USER + 1):.3f})")


if __name__ == "__main__":
    main()

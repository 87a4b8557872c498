# Matrix factorisation with BPR on implicit feedback, leave-one-out evaluation (HR@10 / NDCG@10)
import math
import numpy as np
import torch
import torch.nn.functional as F

N_USERS, N_ITEMS, DIM, K = 400, 300, 16, 10
EPOCHS, BATCH, LR, REG = 32, 1024, 0.01, 4e-3


def generate_interactions(seed=21, per_user=24):
    """Users and movies live in a 6-dim taste space; popular movies get seen more."""
    rng = np.random.default_rng(seed)
    taste = rng.normal(size=(N_USERS, 6))
    movie = rng.normal(size=(N_ITEMS, 6))
    pop = rng.normal(0, 0.4, N_ITEMS)
    affinity = 1.6 * taste @ movie.T / math.sqrt(6) * 1.5 + pop
    gumbel = rng.gumbel(size=affinity.shape)
    seen = np.argsort(-(affinity + gumbel), axis=1)[:, :per_user]
    for row in seen:
        rng.shuffle(row)
    return seen


def leave_one_out(seen):
    return seen[:, :-1], seen[:, -1]


def sample_triples(train, mask, rng):
    u = np.repeat(np.arange(N_USERS), train.shape[1])
    pos = train.reshape(-1)
    neg = rng.integers(0, N_ITEMS, size=pos.shape)
    bad = mask[u, neg]
    while bad.any():
        neg[bad] = rng.integers(0, N_ITEMS, size=bad.sum())
        bad = mask[u, neg]
    order = rng.permutation(len(u))
    return (torch.from_numpy(a[order]) for a in (u, pos, neg))


def init_params(gen):
    P = (0.1 * torch.randn(N_USERS, DIM, generator=gen)).requires_grad_()
    Q = (0.1 * torch.randn(N_ITEMS, DIM, generator=gen)).requires_grad_()
    b = torch.zeros(N_ITEMS, requires_grad=True)
    return P, Q, b


def bpr_loss(params, u, i, j):
    P, Q, b = params
    x_ui = (P[u] * Q[i]).sum(-1) + b[i]
    x_uj = (P[u] * Q[j]).sum(-1) + b[j]
    reg = P[u].pow(2).sum(-1) + Q[i].pow(2).sum(-1) + Q[j].pow(2).sum(-1)
    return -F.logsigmoid(x_ui - x_uj).mean() + REG * reg.mean()


@torch.no_grad()
def rank_metrics(params, train_mask, held_out, k=K):
    P, Q, b = params
    scores = P @ Q.T + b
    scores = scores.masked_fill(train_mask, -1e9)
    top = scores.argsort(dim=1)[:, :k]
    match = top == held_out[:, None]
    hr = match.any(1).float().mean().item()
    gains = match.float() / torch.log2(torch.arange(k) + 2.0)
    return hr, gains.sum(1).mean().item()


def main():
    rng = np.random.default_rng(0)
    gen = torch.Generator().manual_seed(0)
    train, held_out = leave_one_out(generate_interactions())
    mask = np.zeros((N_USERS, N_ITEMS), dtype=bool)
    mask[np.arange(N_USERS)[:, None], train] = True
    train_mask, target = torch.from_numpy(mask), torch.from_numpy(held_out.copy())

    params = init_params(gen)
    opt = torch.optim.Adam(params, lr=LR)
    for epoch in range(1, EPOCHS + 1):
        u, i, j = sample_triples(train, mask, rng)
        total = 0.0
        for sl in torch.arange(len(u)).split(BATCH):
            loss = bpr_loss(params, u[sl], i[sl], j[sl])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(sl)
        if epoch % 8 == 0:
            hr, ndcg = rank_metrics(params, train_mask, target)
            print(f"epoch {epoch:3d} | bpr {total / len(u):.4f} | HR@{K} {hr:.3f} | NDCG@{K} {ndcg:.3f}")
    print(f"(a random ranker scores HR@{K} = {K / (N_ITEMS - train.shape[1]):.3f})")


if __name__ == "__main__":
    main()

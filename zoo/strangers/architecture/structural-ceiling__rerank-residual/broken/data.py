import numpy as np
import torch

N_DOCS, Q_DIM, D_DIM = 20, 8, 12


def make_log(n_queries, seed):
    """Simulated search log: query features, document features, first-stage score, clicks."""
    world = np.random.default_rng(100)
    w_doc = world.normal(size=D_DIM) / np.sqrt(D_DIM)
    mix = world.normal(size=(Q_DIM, D_DIM)) / np.sqrt(Q_DIM * D_DIM)
    w_query = world.normal(size=Q_DIM) / np.sqrt(Q_DIM)

    rng = np.random.default_rng(seed)
    q = rng.normal(size=(n_queries, Q_DIM))
    d = rng.normal(size=(n_queries, N_DOCS, D_DIM))
    utility = 1.4 * (d @ w_doc) + 1.2 * np.einsum("qi,ij,qkj->qk", q, mix, d)
    popularity = 1.5 * np.tanh(q @ w_query)
    first_stage = 0.5 * utility + 0.9 * rng.normal(size=utility.shape)
    p = 1 / (1 + np.exp(-(popularity[:, None] + 1.5 * utility - 0.5)))
    clicks = (rng.random(p.shape) < p).astype(np.float32)
    to = lambda a: torch.tensor(a, dtype=torch.float32)
    return to(q), to(d), to(first_stage), to(clicks)


def batches(log, size, generator):
    order = torch.randperm(len(log[0]), generator=generator)
    for chunk in order.split(size):
        yield tuple(t[chunk] for t in log)

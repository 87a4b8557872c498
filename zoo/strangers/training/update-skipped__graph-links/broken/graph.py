"""A stochastic block model with uneven degrees, split into message-free train/val/test edges."""
import numpy as np
import torch


def block_graph(n_nodes=480, n_blocks=8, p_in=0.42, p_out=0.006, seed=0):
    rng = np.random.default_rng(seed)
    block = rng.integers(0, n_blocks, n_nodes)
    popularity = rng.uniform(0.5, 1.4, n_nodes)
    prob = np.where(block[:, None] == block[None, :], p_in, p_out) * popularity[:, None] * popularity[None, :]
    upper = np.triu(rng.random((n_nodes, n_nodes)) < np.clip(prob, 0, 1), k=1)
    src, dst = np.nonzero(upper)
    return upper | upper.T, np.stack([src, dst], axis=1), rng


def split_edges(edges, rng, val=0.1, test=0.15):
    edges = edges[rng.permutation(len(edges))]
    n_val, n_test = int(val * len(edges)), int(test * len(edges))
    return edges[n_val + n_test:], edges[:n_val], edges[n_val:n_val + n_test]


def sample_non_edges(adj, k, rng):
    out = []
    while len(out) < k:
        cand = rng.integers(0, len(adj), size=(2 * k, 2))
        keep = (cand[:, 0] != cand[:, 1]) & ~adj[cand[:, 0], cand[:, 1]]
        out.extend(cand[keep].tolist())
    return torch.tensor(out[:k])


def edge_batches(edges, batch_size, n_nodes, gen):
    """Positive pairs and, per positive, two corrupted pairs."""
    order = torch.randperm(len(edges), generator=gen)
    for chunk in order.split(batch_size):
        pos = edges[chunk]
        neg = pos.repeat(2, 1).clone()
        neg[:, 1] = torch.randint(0, n_nodes, (len(neg),), generator=gen)
        pairs = torch.cat([pos, neg])
        target = torch.cat([torch.ones(len(pos)), torch.zeros(len(neg))])
        yield pairs, target

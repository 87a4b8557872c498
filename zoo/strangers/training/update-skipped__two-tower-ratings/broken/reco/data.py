import torch


def make_ratings(cfg):
    """Sparse user-item ratings from a low-rank taste model, no pair twice."""
    g = torch.Generator().manual_seed(cfg.seed)
    taste = torch.randn(cfg.users, cfg.factors, generator=g)
    style = torch.randn(cfg.items, cfg.factors, generator=g)
    bias_u = 0.4 * torch.randn(cfg.users, generator=g)
    bias_i = 0.6 * torch.randn(cfg.items, generator=g)
    pairs = torch.randperm(cfg.users * cfg.items, generator=g)[: cfg.ratings]
    u, i = pairs // cfg.items, pairs % cfg.items
    score = (taste[u] * style[i]).sum(1) / cfg.factors ** 0.5
    score = score + bias_u[u] + bias_i[i] + 0.3 * torch.randn(len(u), generator=g)
    return u, i, score


def split(cfg):
    u, i, r = make_ratings(cfg)
    a, b = int(0.8 * len(r)), int(0.9 * len(r))
    return [(u[s], i[s], r[s]) for s in (slice(0, a), slice(a, b), slice(b, None))]


def batches(data, size, generator=None):
    n = len(data[0])
    order = torch.randperm(n, generator=generator) if generator is not None else torch.arange(n)
    for idx in order.split(size):
        yield tuple(col[idx] for col in data)

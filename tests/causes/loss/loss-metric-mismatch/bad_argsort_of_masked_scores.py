import torch
import torch.nn.functional as F


def fit(users, items, triples, optimizer):
    for u, liked, other in triples:
        optimizer.zero_grad()
        margin = (users[u] * (items[liked] - items[other])).sum(-1)
        (-F.logsigmoid(margin).mean()).backward()
        optimizer.step()


@torch.no_grad()
def hit_rate(users, items, seen, held_out, k=10):
    scores = (users @ items.T).masked_fill(seen, -1e9)
    best = scores.argsort(dim=1)[:, :k]  # loss-metric-mismatch
    return (best == held_out[:, None]).any(1).float().mean().item()

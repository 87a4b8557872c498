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
    best = scores.argsort(dim=1, descending=True)[:, :k]
    by_minus = (-scores).argsort(dim=1)[:, :k]
    last = scores.argsort(dim=1)[:, -k:]
    turned = scores.argsort(dim=1).flip(1)[:, :k]
    top = scores.topk(k).indices
    found = [(each == held_out[:, None]).any(1).float().mean() for each in (best, by_minus, last, turned, top)]
    return sum(found) / len(found)

import torch
import torch.nn.functional as F
from torch import nn


def by_distance(anchor, alike, other, margin=0.5):
    d_ap = (anchor - alike).pow(2).sum(1)
    d_an = (anchor - other).pow(2).sum(1)
    return F.relu(d_ap - d_an + margin).mean()


def by_score(users, liked, unseen, margin=0.5):
    # The larger the score the closer: here the wrong one has to stay below.
    pos = (users * liked).sum(1)
    neg = (users * unseen).sum(1)
    return (neg - pos + margin).clamp(min=0).mean()


def by_cosine(anchor, alike, other, margin=0.2):
    pos_sim = F.cosine_similarity(anchor, alike)
    neg_sim = F.cosine_similarity(anchor, other)
    return F.relu(neg_sim - pos_sim + margin).mean()


def train(net: nn.Module, triplets, kind=by_distance, epochs=10):
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(epochs):
        for anchor, alike, other in triplets:
            optimizer.zero_grad()
            a, p, n = net(anchor), net(alike), net(other)
            loss = by_distance(a, p, n) + by_score(a, p, n) + by_cosine(a, p, n)
            loss.backward()
            optimizer.step()

"""Contrasts with vectors of unit length, and a matrix of correlations between the columns of two batches."""

import torch
from torch.nn import functional as F


def contrast(first, second, temperature=0.1):
    first, second = F.normalize(first, p=2, dim=1), F.normalize(second, 2, -1)
    return F.cross_entropy(first @ second.T / temperature, torch.arange(len(first)))


def by_hand(queries, keys):
    queries = queries / queries.norm(dim=-1, keepdim=True)
    keys = keys / keys.norm(dim=-1, keepdim=True)
    return F.cross_entropy(queries @ keys.t(), torch.arange(len(queries)))


def correlations(first, second):
    together = F.normalize(first, dim=0).T @ F.normalize(second, dim=0)
    return (together - torch.eye(first.shape[1])).pow(2).sum()


def train(model, loader):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for one, other in loader:
        a, b = model(one), model(other)
        loss = contrast(a, b) + by_hand(a, b) + 0.005 * correlations(a, b)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

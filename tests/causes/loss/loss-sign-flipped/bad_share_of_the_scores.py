import torch
import torch.nn.functional as F
from torch import nn


def contrast(first, second, temperature=0.1):
    alike = F.normalize(first, dim=1) @ F.normalize(second, dim=1).T / temperature
    return (alike.diag() - torch.logsumexp(alike, dim=1)).mean()  # loss-sign-flipped


def train(encoder, views, epochs=10):
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=3e-4)
    for _ in range(epochs):
        for one, other in views:
            loss = contrast(encoder(one), encoder(other))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

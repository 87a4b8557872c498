import torch
import torch.nn.functional as F
from torch import nn


def contrast(first, second, temperature=0.1):
    alike = F.normalize(first, dim=1) @ F.normalize(second, dim=1).T / temperature
    return (torch.logsumexp(alike, dim=1) - alike.diag()).mean()


def cox(risk, time, event):
    risk, event = risk[time.argsort(descending=True)], event[time.argsort(descending=True)]
    return -((risk - risk.logcumsumexp(0)) * event).sum() / event.sum()


def by_hand(scores, target):
    chances = scores - scores.logsumexp(-1, keepdim=True)
    return -chances.gather(1, target[:, None]).mean()


def train(encoder, head, batches, epochs=10):
    optimizer = torch.optim.AdamW([*encoder.parameters(), *head.parameters()], lr=3e-4)
    for _ in range(epochs):
        for one, other, time, event, target in batches:
            optimizer.zero_grad()
            first = encoder(one)
            (contrast(first, encoder(other)) + cox(head(first)[:, 0], time, event)).backward()
            optimizer.step()
            optimizer.zero_grad()
            by_hand(head(encoder(one)), target).backward()
            optimizer.step()

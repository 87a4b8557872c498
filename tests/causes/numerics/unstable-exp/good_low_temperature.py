import torch
import torch.nn.functional as F


def contrast(a, b, temperature=0.07):
    a, b = F.normalize(a, dim=-1), F.normalize(b, dim=-1)
    near = torch.exp(a @ b.t() / temperature)
    return -torch.log((near / near.sum(dim=1, keepdim=True)).diagonal()).mean()


def sharp(a, b, temperature=0.01):
    score = F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).t() / temperature
    score = score - score.max(dim=1, keepdim=True).values.detach()
    near = torch.exp(score)
    return near / near.sum(dim=1, keepdim=True)

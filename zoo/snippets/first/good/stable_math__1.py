import torch
import torch.nn.functional as F


def softmax(x, dim=-1):
    e = torch.exp(x - x.max(dim=dim, keepdim=True).values)
    return e / e.sum(dim=dim, keepdim=True)


def logsumexp(x, dim):
    m = x.amax(dim, keepdim=True)
    return (m + (x - m).exp().sum(dim, keepdim=True).log()).squeeze(dim)


def entropy(logits):
    logp = F.log_softmax(logits, dim=-1)
    return -(logp.exp() * logp).sum(-1)


def safe_norm(x, dim=-1, eps=1e-12):
    return x.pow(2).sum(dim).clamp_min(eps).sqrt()


def safe_log(x):
    pos = x > 0
    return torch.where(pos, torch.log(torch.where(pos, x, torch.ones_like(x))), torch.full_like(x, -30.0))


def pearson_loss(a, b, eps=1e-8):
    a, b = a - a.mean(), b - b.mean()
    return 1 - (a * b).sum() / (a.norm() * b.norm() + eps)


def rmsle(pred, y):
    return torch.sqrt(F.mse_loss(torch.log1p(pred.clamp(min=0)), torch.log1p(y)) + 1e-9)

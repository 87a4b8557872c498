import numpy as np
import torch


def softmax(z):
    z = z - z.max(axis=1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def logsumexp(z):
    top = z.amax(-1, keepdim=True).detach()
    return top.squeeze(-1) + torch.exp(z - top).sum(-1).log()


def supcon(features, mask, temperature):
    logits = features @ features.T / temperature
    peak, _ = torch.max(logits, dim=1, keepdim=True)
    logits = logits - peak.detach()
    exp_logits = torch.exp(logits) * mask
    return logits - torch.log(exp_logits.sum(1, keepdim=True))


def softplus(z):
    return z.clamp(min=0) + torch.log1p(torch.exp(-z.abs()))

import torch
import torch.nn as nn
import torch.nn.functional as F


class Norm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))
        self.eps = eps

    def forward(self, x):
        std = x.std(-1, keepdim=True)
        var = x.var(-1, keepdim=True, unbiased=False)
        return self.gain * (x - x.mean(-1, keepdim=True)) / (std + self.eps) + x / torch.sqrt(var + self.eps)


def loss_fn(logits, y, classes):
    p = torch.sigmoid(logits).clamp(1e-6, 1 - 1e-6)
    bce = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()
    counts = F.one_hot(y.long(), 2).sum(0)
    weights = len(y) / (2 * counts.clamp(min=1))
    return bce + (torch.log(torch.softmax(logits, 0) + 1e-8) * weights[0]).mean()

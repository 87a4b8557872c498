import torch
import torch.nn.functional as F
from torch import nn


def dice_loss(logits, target, eps=1.0):
    p = logits.sigmoid().flatten(1)
    t = target.flatten(1)
    score = (2 * (p * t).sum(1) + eps) / (p.sum(1) + t.sum(1) + eps)
    return 1 - score.mean()


def negative_cosine(p, z):
    return -F.cosine_similarity(p, z.detach(), dim=-1).mean()


net = nn.Linear(10, 10)
opt = torch.optim.SGD(net.parameters(), lr=0.1, maximize=True)
for x, y in loader:
    gain = -F.mse_loss(net(x), y)
    opt.zero_grad()
    gain.backward()
    opt.step()

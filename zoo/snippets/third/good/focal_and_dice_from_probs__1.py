import torch
import torch.nn as nn


class FocalDice(nn.Module):
    def __init__(self, gamma=2.0, eps=1e-6):
        super().__init__()
        self.gamma, self.eps = gamma, eps

    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        bce = nn.functional.binary_cross_entropy_with_logits(logits, target, reduction="none")
        pt = torch.where(target > 0.5, p, 1 - p)
        focal = ((1 - pt) ** self.gamma * bce).mean()
        inter = (p * target).sum((1, 2, 3))
        dice = 1 - (2 * inter + self.eps) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + self.eps)
        return focal + dice.mean()


@torch.no_grad()
def iou(logits, target):
    pred = logits > 0
    inter = (pred & target.bool()).sum()
    return inter / (pred | target.bool()).sum().clamp(min=1)

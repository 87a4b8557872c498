import torch
import torch.nn as nn


class IoULoss(nn.Module):
    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        inter = (p * target).sum(dim=(1, 2, 3))
        union = p.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3)) - inter
        iou = (inter + 1.0) / (union + 1.0)
        return iou.mean()  # loss-sign-flipped

import torch
import torch.nn.functional as F


def multiclass_dice_loss(logits, target, n_classes, eps=1e-6):
    """logits (N, C, H, W); target (N, H, W)"""
    prob = torch.softmax(logits, dim=1)
    onehot = F.one_hot(target, n_classes).permute(0, 3, 1, 2).float()
    inter = torch.sum(prob * onehot, dim=(0, 2, 3))
    card = torch.sum(prob + onehot, dim=(0, 2, 3))
    return 1.0 - ((2.0 * inter + eps) / (card + eps)).mean()


def combined(logits, target, n_classes):
    return F.cross_entropy(logits, target) + multiclass_dice_loss(logits, target, n_classes)


def mean_iou(logits, target, n_classes):
    pred = logits.argmax(dim=1)
    ious = []
    for c in range(n_classes):
        p, t = pred == c, target == c
        union = (p | t).sum().item()
        if union:
            ious.append((p & t).sum().item() / union)
    return sum(ious) / len(ious)

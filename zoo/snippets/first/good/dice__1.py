import torch
import torch.nn as nn


class DiceBCELoss(nn.Module):
    def __init__(self, smooth: float = 1.0):
        super().__init__()
        self.smooth = smooth
        self.bce = nn.BCEWithLogitsLoss()

    def forward(self, logits, mask):
        prob = logits.sigmoid()
        dims = (1, 2, 3)
        inter = (prob * mask).sum(dims)
        union = prob.sum(dims) + mask.sum(dims)
        dice = (2 * inter + self.smooth) / (union + self.smooth)
        return 1 - dice.mean() + self.bce(logits, mask)


@torch.no_grad()
def dice_score(net, loader, thr=0.5, eps=1e-7):
    was_training = net.training
    net.eval()
    scores = []
    for img, mask in loader:
        pred = (torch.sigmoid(net(img)) > thr).float()
        inter = (pred * mask).sum((1, 2, 3))
        scores.append((2 * inter + eps) / (pred.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + eps))
    net.train(was_training)
    return torch.cat(scores).mean().item()

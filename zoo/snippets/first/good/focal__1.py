import torch
import torch.nn as nn
import torch.nn.functional as F


class FocalLoss(nn.Module):
    def __init__(self, alpha=0.25, gamma=2.0):
        super().__init__()
        self.alpha, self.gamma = alpha, gamma

    def forward(self, logits, target):
        p = torch.sigmoid(logits)
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p_t = p * target + (1 - p) * (1 - target)
        a_t = self.alpha * target + (1 - self.alpha) * (1 - target)
        loss = a_t * (1 - p_t) ** self.gamma * ce
        # normalised by the number of positive anchors as in RetinaNet
        return loss.sum() / target.sum().clamp(min=1.0)


class FocalCE(nn.Module):
    def __init__(self, gamma=2.0, weight=None):
        super().__init__()
        self.gamma = gamma
        self.register_buffer("weight", weight)

    def forward(self, logits, y):
        logp = F.log_softmax(logits, dim=1)
        logpt = logp.gather(1, y.unsqueeze(1)).squeeze(1)
        loss = -((1 - logpt.exp()) ** self.gamma) * logpt
        if self.weight is not None:
            loss = loss * self.weight[y]
        return loss.mean()

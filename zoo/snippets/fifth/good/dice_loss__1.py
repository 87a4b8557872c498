class DiceLoss(nn.Module):
    def forward(self, logits, target, eps=1.0):
        p = logits.sigmoid().flatten(1)
        t = target.flatten(1).float()
        inter = (p * t).sum(1)
        dice = (2 * inter + eps) / (p.sum(1) + t.sum(1) + eps)
        return 1 - dice.mean()

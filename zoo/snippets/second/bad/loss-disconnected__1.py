import torch
import torch.nn as nn


class DiceBCELoss(nn.Module):
    def __init__(self, weight=0.5, smooth=1.0):
        super().__init__()
        self.bce = nn.BCEWithLogitsLoss()
        self.weight = weight
        self.smooth = smooth

    def forward(self, logits, mask):
        bce = self.bce(logits, mask)
        pred = (torch.sigmoid(logits) > 0.5).float()
        inter = (pred * mask).sum(dim=(1, 2, 3))
        union = pred.sum(dim=(1, 2, 3)) + mask.sum(dim=(1, 2, 3))
        dice = 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()
        return (1 - self.weight) * bce + self.weight * dice


def train_epoch(unet, loader, optimizer, device):
    criterion = DiceBCELoss()
    unet.train()
    total, n = 0.0, 0
    for image, mask in loader:
        image, mask = image.to(device), mask.to(device)
        optimizer.zero_grad()
        loss = criterion(unet(image), mask)
        loss.backward()
        optimizer.step()
        total += loss.item() * image.size(0)
        n += image.size(0)
    return total / n

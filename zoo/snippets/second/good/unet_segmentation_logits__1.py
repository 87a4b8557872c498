import torch
import torch.nn as nn
import torch.nn.functional as F


def double_conv(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
    )


class UNet(nn.Module):
    def __init__(self, n_classes=1):
        super().__init__()
        self.d1, self.d2, self.d3 = double_conv(3, 64), double_conv(64, 128), double_conv(128, 256)
        self.u2 = nn.ConvTranspose2d(256, 128, 2, stride=2)
        self.c2 = double_conv(256, 128)
        self.u1 = nn.ConvTranspose2d(128, 64, 2, stride=2)
        self.c1 = double_conv(128, 64)
        self.out = nn.Conv2d(64, n_classes, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.d3(F.max_pool2d(b, 2))
        y = self.c2(torch.cat([self.u2(c), b], 1))
        return self.out(self.c1(torch.cat([self.u1(y), a], 1)))


def loss_fn(logits, mask, smooth=1.0):
    p = torch.sigmoid(logits)
    inter = (p * mask).sum(dim=(1, 2, 3))
    dice = (2 * inter + smooth) / (p.sum(dim=(1, 2, 3)) + mask.sum(dim=(1, 2, 3)) + smooth)
    return F.binary_cross_entropy_with_logits(logits, mask) + 1 - dice.mean()


@torch.no_grad()
def iou(model, loader, device):
    model.eval()
    inter = union = 0
    for img, mask in loader:
        pred = model(img.to(device)) > 0  # same as sigmoid > 0.5
        mask = mask.to(device).bool()
        inter += (pred & mask).sum().item()
        union += (pred | mask).sum().item()
    return inter / max(union, 1)

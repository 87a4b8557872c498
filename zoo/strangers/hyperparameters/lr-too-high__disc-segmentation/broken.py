"""Toy segmentation: find the bright disc in a noisy image."""
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

random.seed(3)
np.random.seed(3)
torch.manual_seed(3)

SIZE = 24


def sample():
    yy, xx = np.mgrid[0:SIZE, 0:SIZE]
    r = np.random.uniform(5, 8)
    cx, cy = np.random.uniform(6, SIZE - 6, 2)
    mask = ((xx - cx) ** 2 + (yy - cy) ** 2 < r ** 2).astype(np.float32)
    img = mask * np.random.uniform(0.8, 1.4)
    img = img + 0.6 * np.random.randn(SIZE, SIZE)
    return img.astype(np.float32), mask


def build(n):
    pairs = [sample() for _ in range(n)]
    imgs = torch.tensor(np.stack([p[0] for p in pairs]))[:, None]
    masks = torch.tensor(np.stack([p[1] for p in pairs]))[:, None]
    return imgs, masks


class TinyUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.enc = nn.Conv2d(1, c, 3, padding=1)
        self.down = nn.Conv2d(c, 2 * c, 3, padding=1)
        self.mid = nn.Sequential(
            nn.Conv2d(2 * c, 2 * c, 3, padding=1), nn.ReLU(),
            nn.Conv2d(2 * c, 2 * c, 3, padding=1), nn.ReLU(),
        )
        self.up = nn.Conv2d(3 * c, c, 3, padding=1)
        self.last = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = F.relu(self.enc(x))
        b = F.max_pool2d(a, 2)
        b = F.relu(self.down(b))
        b = self.mid(b)
        b = F.interpolate(b, scale_factor=2, mode="nearest")
        z = F.relu(self.up(torch.cat([a, b], dim=1)))
        return self.last(z)


def iou(logits, masks):
    pred = logits > 0
    true = masks > 0.5
    inter = (pred & true).sum(dim=(1, 2, 3)).float()
    union = (pred | true).sum(dim=(1, 2, 3)).float()
    return (inter / union).mean().item()


train_x, train_m = build(400)
test_x, test_m = build(120)
mean, std = train_x.mean(), train_x.std()
train_x = (train_x - mean) / std
test_x = (test_x - mean) / std

net = TinyUNet()
optimizer = torch.optim.Adam(net.parameters(), lr=0.3)

for epoch in range(1, 16):
    net.train()
    perm = torch.randperm(len(train_x))
    total = 0.0
    for i in range(0, len(perm), 20):
        j = perm[i:i + 20]
        loss = F.binary_cross_entropy_with_logits(net(train_x[j]), train_m[j])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(j)
    print(f"epoch {epoch:2d}  bce {total / len(perm):.4f}")

net.eval()
with torch.no_grad():
    print(f"mean IoU on test images: {iou(net(test_x), test_m):.3f}")

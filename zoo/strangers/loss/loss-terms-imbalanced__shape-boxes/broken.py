"""Detect one shape per image: which kind it is and where it is.

A shared convolutional trunk feeds a classification head and a box head
(x0, y0, x1, y1). Images are drawn on the fly with numpy.
"""
import argparse

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

SIDE = 32
KINDS = ["square", "disc", "cross", "triangle", "ring"]


def draw(kind, cx, cy, r):
    yy, xx = np.mgrid[0:SIDE, 0:SIDE]
    dx, dy = xx - cx, yy - cy
    inside = (np.abs(dx) <= r) & (np.abs(dy) <= r)
    if kind == 0:
        return inside
    if kind == 1:
        return dx ** 2 + dy ** 2 <= r ** 2
    if kind == 2:
        return inside & ((np.abs(dx) <= r / 3) | (np.abs(dy) <= r / 3))
    if kind == 3:
        return inside & (np.abs(dx) <= (dy + r) / 2)
    d2 = dx ** 2 + dy ** 2
    return (d2 <= r ** 2) & (d2 >= (0.55 * r) ** 2)


class Shapes(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.images = np.zeros((n, 1, SIDE, SIDE), dtype=np.float32)
        self.kinds = rng.integers(0, len(KINDS), size=n)
        self.boxes = np.zeros((n, 4), dtype=np.float32)
        for i in range(n):
            r = rng.uniform(4, 9)
            cx, cy = rng.uniform(r, SIDE - 1 - r, size=2)
            shape = draw(self.kinds[i], cx, cy, r)
            noise = rng.normal(0.0, 0.2, size=(SIDE, SIDE))
            self.images[i, 0] = shape * rng.uniform(0.8, 1.4) + noise
            self.boxes[i] = np.array([cx - r, cy - r, cx + r, cy + r])

    def __len__(self):
        return len(self.kinds)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i]), int(self.kinds[i]), torch.from_numpy(self.boxes[i])


class Detector(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        layers, c = [], 1
        for out in (width, 2 * width, 2 * width):
            layers += [nn.Conv2d(c, out, 3, padding=1), nn.BatchNorm2d(out), nn.ReLU(), nn.MaxPool2d(2)]
            c = out
        self.trunk = nn.Sequential(*layers, nn.Flatten(), nn.Linear(c * 16, 96), nn.ReLU())
        self.kind = nn.Linear(96, len(KINDS))
        self.box = nn.Linear(96, 4)

    def forward(self, x):
        h = self.trunk(x)
        return self.kind(h), self.box(h)


def iou(a, b):
    lo = torch.maximum(a[:, :2], b[:, :2])
    hi = torch.minimum(a[:, 2:], b[:, 2:])
    inter = (hi - lo).clamp(min=0).prod(1)
    area = lambda t: (t[:, 2:] - t[:, :2]).clamp(min=0).prod(1)
    return inter / (area(a) + area(b) - inter)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits, overlap, n = 0, 0.0, 0
    for image, kind, box in loader:
        logits, pred = model(image)
        hits += (logits.argmax(1) == kind).sum().item()
        overlap += iou(pred, box).sum().item()
        n += len(kind)
    return hits / n, overlap / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--box-weight", type=float, default=100.0)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    train = DataLoader(Shapes(3000, seed=100), batch_size=50, shuffle=True)
    test = DataLoader(Shapes(600, seed=200), batch_size=200)
    model = Detector()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.epochs * len(train))
    for epoch in range(args.epochs):
        model.train()
        sums = np.zeros(2)
        for image, kind, box in train:
            logits, pred = model(image)
            cls_loss = F.cross_entropy(logits, kind)
            box_loss = F.mse_loss(pred, box)
            loss = cls_loss + args.box_weight * box_loss
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            sums += (cls_loss.item(), box_loss.item())
        print("epoch %d  cls %.3f  box %.5f" % (epoch, *(sums / len(train))))
    acc, overlap = evaluate(model, test)
    print(f"test: kind accuracy {acc:.3f}, mean IoU {overlap:.3f}")


if __name__ == "__main__":
    main()

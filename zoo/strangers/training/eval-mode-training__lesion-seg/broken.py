"""Segment bright blobs ("lesions") in noisy synthetic scans with a small encoder-decoder."""
from contextlib import contextmanager

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 7
SIZE = 20
EPOCHS = 8
BATCH = 32


def make_scans(n, rng):
    yy, xx = np.mgrid[0:SIZE, 0:SIZE]
    scans = np.zeros((n, 1, SIZE, SIZE), dtype=np.float32)
    masks = np.zeros((n, 1, SIZE, SIZE), dtype=np.float32)
    for i in range(n):
        tissue = np.sin(xx / rng.uniform(3, 6) + rng.uniform(0, 6)) * np.cos(yy / rng.uniform(3, 6))
        image = 0.6 * tissue + rng.normal(0, 0.5, (SIZE, SIZE))
        for _ in range(rng.integers(1, 4)):
            cy, cx = rng.uniform(4, SIZE - 4, 2)
            ry, rx = rng.uniform(2.0, 4.5, 2)
            blob = ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1
            image[blob] += rng.uniform(1.2, 2.0)
            masks[i, 0][blob] = 1.0
        scans[i, 0] = image
    return torch.from_numpy(scans), torch.from_numpy(masks)


def block(cin, cout):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
        nn.Conv2d(cout, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True),
    )


class SegNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down1 = block(1, width)
        self.down2 = block(width, 2 * width)
        self.mid = block(2 * width, 4 * width)
        self.up2 = block(6 * width, 2 * width)
        self.up1 = block(3 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        b = self.up2(torch.cat([b, F.interpolate(c, scale_factor=2)], 1))
        a = self.up1(torch.cat([a, F.interpolate(b, scale_factor=2)], 1))
        return self.out(a)


@contextmanager
def scoring(model):
    model.eval()
    previous = model.training
    with torch.no_grad():
        yield model
    model.train(previous)


def dice_score(model, scans, masks):
    inter = total = 0.0
    with scoring(model) as net:
        for x, y in zip(scans.split(64), masks.split(64)):
            pred = (net(x) > 0).float()
            inter += (pred * y).sum().item()
            total += pred.sum().item() + y.sum().item()
    return 2 * inter / max(total, 1.0)


def main():
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    train_x, train_y = make_scans(400, rng)
    val_x, val_y = make_scans(128, rng)
    mean, std = train_x.mean(), train_x.std()
    train_x, val_x = (train_x - mean) / std, (val_x - mean) / std

    model = SegNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.015, momentum=0.9, weight_decay=1e-4)
    model.train()
    print(f"before training: val dice {dice_score(model, val_x, val_y):.3f}")

    for epoch in range(EPOCHS):
        order = torch.randperm(len(train_x))
        running = 0.0
        for idx in order.split(BATCH):
            logits = model(train_x[idx])
            loss = F.binary_cross_entropy_with_logits(logits, train_y[idx])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(idx)
        print(f"epoch {epoch + 1:2d}  loss {running / len(train_x):.4f}  val dice {dice_score(model, val_x, val_y):.3f}")

    print(f"final val dice: {dice_score(model, val_x, val_y):.4f}")


if __name__ == "__main__":
    main()

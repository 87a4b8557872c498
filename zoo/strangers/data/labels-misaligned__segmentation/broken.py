import argparse, json
import numpy as np
import torch
from torch import nn
from torch.utils.data import Dataset, DataLoader


def paint_cell(rng, size=32):
    """One grayscale micrograph with a few bright cells on an uneven background, and its mask."""
    yy, xx = np.mgrid[0:size, 0:size]
    image = 0.25 * np.sin(xx / rng.uniform(4, 9) + rng.uniform(0, 6)) + 0.2 * rng.standard_normal((size, size))
    mask = np.zeros((size, size), bool)
    for _ in range(rng.integers(1, 4)):
        cy, cx = rng.uniform(4, size - 4, 2)
        a, b = rng.uniform(3, 7, 2)
        th = rng.uniform(0, np.pi)
        u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
        v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
        blob = (u / a) ** 2 + (v / b) ** 2 < 1
        image[blob] += rng.uniform(0.5, 1.0)
        mask |= blob
    return image.astype(np.float32), mask.astype(np.float32)


class RandomDihedral:
    """Flip left-right, flip up-down and quarter turns, each with probability one half."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def __call__(self, planes):
        if self.rng.random() < 0.5:
            planes = planes[..., ::-1]
        if self.rng.random() < 0.5:
            planes = planes[..., ::-1, :]
        if self.rng.random() < 0.5:
            planes = np.rot90(planes, axes=(-2, -1))
        return np.ascontiguousarray(planes)


class CellDataset(Dataset):
    def __init__(self, n, seed, transform=None):
        rng = np.random.default_rng(seed)
        self.samples = [paint_cell(rng) for _ in range(n)]
        self.transform = transform

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        image, mask = self.samples[i]
        if self.transform is not None:
            image, mask = self.transform(image), self.transform(mask)
        return torch.from_numpy(image)[None], torch.from_numpy(mask)[None]


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True))


class MiniUNet(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.d1, self.d2 = block(1, w), block(w, 2 * w)
        self.mid = block(2 * w, 2 * w)
        self.u1 = block(4 * w, w)
        self.u0 = block(2 * w, w)
        self.head = nn.Conv2d(w, 1, 1)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")

    def forward(self, x):
        s0 = self.d1(x)
        s1 = self.d2(self.pool(s0))
        m = self.mid(self.pool(s1))
        y = self.u1(torch.cat([self.up(m), s1], 1))
        y = self.u0(torch.cat([self.up(y), s0], 1))
        return self.head(y)


def soft_dice(logits, mask, eps=1.0):
    p = logits.sigmoid()
    inter = (p * mask).sum((1, 2, 3))
    return 1 - ((2 * inter + eps) / (p.sum((1, 2, 3)) + mask.sum((1, 2, 3)) + eps)).mean()


@torch.no_grad()
def mean_iou(net, loader):
    net.eval()
    scores = []
    for image, mask in loader:
        pred = net(image) > 0
        m = mask > 0.5
        inter = (pred & m).sum((1, 2, 3)).float()
        union = (pred | m).sum((1, 2, 3)).float()
        scores.append(inter / union.clamp_min(1))
    return torch.cat(scores).mean().item()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--lr", type=float, default=4e-3)
    p.add_argument("--seed", type=int, default=21)
    a = p.parse_args()
    torch.manual_seed(a.seed)
    train = DataLoader(CellDataset(400, a.seed, RandomDihedral(a.seed)), batch_size=20, shuffle=True)
    val = DataLoader(CellDataset(120, a.seed + 1), batch_size=60)
    net = MiniUNet()
    opt = torch.optim.Adam(net.parameters(), lr=a.lr)
    bce = nn.BCEWithLogitsLoss()
    for epoch in range(a.epochs):
        net.train()
        hist = {"bce": [], "dice": []}
        for image, mask in train:
            logits = net(image)
            l1, l2 = bce(logits, mask), soft_dice(logits, mask)
            opt.zero_grad()
            (l1 + l2).backward()
            opt.step()
            hist["bce"].append(l1.item())
            hist["dice"].append(l2.item())
        record = {"epoch": epoch, **{k: round(float(np.mean(v)), 4) for k, v in hist.items()},
                  "val_iou": round(mean_iou(net, val), 4)}
        print(json.dumps(record))


if __name__ == "__main__":
    main()

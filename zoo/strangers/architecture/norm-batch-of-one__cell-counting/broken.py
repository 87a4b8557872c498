"""Count fluorescent cells in synthetic microscopy tiles."""
import argparse
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--tiles", type=int, default=640, help="training tiles")
    p.add_argument("--size", type=int, default=36)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--micro-batch", type=int, default=1, help="tiles per forward pass")
    p.add_argument("--effective-batch", type=int, default=16, help="tiles per optimizer step")
    p.add_argument("--width", type=int, default=12)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


class CellTiles(Dataset):
    """Gaussian blobs of varying radius on a noisy background."""

    def __init__(self, n, size, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
        imgs = np.empty((n, 1, size, size), dtype=np.float32)
        counts = rng.integers(0, 26, size=n)
        for i, c in enumerate(counts):
            img = rng.normal(0.1, 0.05, size=(size, size)).astype(np.float32)
            for _ in range(c):
                cy, cx = rng.uniform(2, size - 2, size=2)
                r = rng.uniform(1.0, 1.6)
                img += rng.uniform(0.7, 1.0) * np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / (2 * r * r))
            imgs[i, 0] = img
        self.imgs = torch.from_numpy(imgs)
        self.counts = torch.from_numpy(counts.astype(np.float32))

    def __len__(self):
        return len(self.counts)

    def __getitem__(self, i):
        return self.imgs[i], self.counts[i]


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(inplace=True),
    )


class Counter(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.features = nn.Sequential(
            conv_bn(1, w),
            conv_bn(w, 2 * w, stride=2),
            conv_bn(2 * w, 2 * w),
            conv_bn(2 * w, 4 * w, stride=2),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(4 * w, 1)

    def forward(self, x):
        return self.fc(self.pool(self.features(x)).flatten(1)).squeeze(1)


def standardize(t, stats):
    return (t - stats[0]) / stats[1]


@torch.no_grad()
def mean_abs_error(net, loader, img_stats, cnt_stats):
    net.eval()
    err, n = 0.0, 0
    for img, count in loader:
        pred = net(standardize(img, img_stats)) * cnt_stats[1] + cnt_stats[0]
        err += (pred - count).abs().sum().item()
        n += len(count)
    return err / n


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    train_set = CellTiles(args.tiles, args.size, seed=args.seed + 10)
    val_set = CellTiles(200, args.size, seed=args.seed + 20)
    test_set = CellTiles(300, args.size, seed=args.seed + 30)
    img_stats = (train_set.imgs.mean(), train_set.imgs.std())
    cnt_stats = (train_set.counts.mean(), train_set.counts.std())

    train_loader = DataLoader(train_set, batch_size=args.micro_batch, shuffle=True, drop_last=True)
    val_loader = DataLoader(val_set, batch_size=50)
    test_loader = DataLoader(test_set, batch_size=50)
    accum = args.effective_batch // args.micro_batch

    net = Counter(args.width)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    total_steps = args.epochs * (len(train_loader) // accum)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=total_steps + 1)
    loss_fn = nn.SmoothL1Loss()
    print(f"{sum(p.numel() for p in net.parameters())} parameters, {total_steps} optimizer steps")

    usable = (len(train_loader) // accum) * accum     # whole groups only
    for epoch in range(1, args.epochs + 1):
        net.train()
        t0, running = time.time(), 0.0
        for it, (img, count) in enumerate(train_loader):
            if it >= usable:
                break
            pred = net(standardize(img, img_stats))
            loss = loss_fn(pred, standardize(count, cnt_stats))
            (loss / accum).backward()
            running += loss.item()
            if (it + 1) % accum == 0:
                opt.step()
                opt.zero_grad(set_to_none=True)
                sched.step()
        val = mean_abs_error(net, val_loader, img_stats, cnt_stats)
        print(f"[{epoch:02d}] loss {running / usable:.4f}  val MAE {val:.2f} cells  ({time.time() - t0:.1f}s)")

    naive = (test_set.counts - cnt_stats[0]).abs().mean().item()
    test = mean_abs_error(net, test_loader, img_stats, cnt_stats)
    print(f"test MAE {test:.2f} cells (always answering the mean: {naive:.2f})")


if __name__ == "__main__":
    main()

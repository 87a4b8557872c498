"""Surface inspection: classify 20x20 grey patches from a production line into six defect types."""
import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLASSES = ["scratch", "pit", "stain", "edge", "grid", "wave"]
SIDE = 20


def render(kind, rng):
    yy, xx = np.mgrid[0:SIDE, 0:SIDE] / SIDE
    a = rng.uniform(0, np.pi)
    u, v = np.cos(a) * xx + np.sin(a) * yy, -np.sin(a) * xx + np.cos(a) * yy
    cx, cy = rng.uniform(0.25, 0.75, 2)
    if kind == 0:
        img = np.exp(-((v - rng.uniform(-0.2, 0.4)) / 0.04) ** 2)
    elif kind == 1:
        img = np.exp(-(((xx - cx) ** 2 + (yy - cy) ** 2) / 0.012))
    elif kind == 2:
        img = 0.8 * np.exp(-(((xx - cx) ** 2 + (yy - cy) ** 2) / 0.06))
    elif kind == 3:
        img = (v > rng.uniform(-0.1, 0.3)).astype(float)
    elif kind == 4:
        f = rng.uniform(4, 6)
        img = 0.5 * (np.sin(2 * np.pi * f * u) + np.sin(2 * np.pi * f * v))
    else:
        img = np.sin(2 * np.pi * rng.uniform(2.0, 4.0) * u + rng.uniform(0, 6))
    return 120 + 45 * rng.uniform(0.5, 1.0) * img + rng.normal(0, 26, img.shape)


def read_archive(n, seed):
    """Every patch of the archive with the operator's verdict (operators disagree now and then)."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(CLASSES), n)
    patches = np.stack([render(k, rng) for k in truth]).clip(0, 255).astype(np.uint8)
    disagree = rng.random(n) < 0.1
    verdict = np.where(disagree, rng.integers(0, len(CLASSES), n), truth)
    return patches, verdict


class Patches(Dataset):
    """A part of the archive.

    The archive is put into a random order once, then cut into train / test.
    """

    def __init__(self, archive, part, test_share=0.25, seed=42, stats=None):
        images, labels = archive
        order = np.random.default_rng(seed).permutation(len(images))
        n_test = int(len(images) * test_share)
        keep = order[:n_test] if part == "test" else order[n_test:]
        self.images = torch.from_numpy(images[keep]).float().unsqueeze(1)
        self.labels = torch.from_numpy(labels[keep])
        self.stats = stats or (self.images.mean().item(), self.images.std().item())
        self.flip = part == "train"

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        mean, std = self.stats
        img = (self.images[i] - mean) / std
        if self.flip and random.random() < 0.5:
            img = img.flip(-1)
        return img, self.labels[i]


class PatchNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(32)
        self.drop = nn.Dropout(0.2)
        self.fc1 = nn.Linear(32 * 5 * 5, 96)
        self.fc2 = nn.Linear(96, len(CLASSES))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = F.relu(self.fc1(self.drop(x.flatten(1))))
        return self.fc2(x)


def run_epoch(model, loader, optimizer=None, scheduler=None):
    training = optimizer is not None
    model.train(training)
    loss_sum = hits = n = 0
    with torch.set_grad_enabled(training):
        for x, y in loader:
            logits = model(x)
            loss = F.cross_entropy(logits, y)
            if training:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
            loss_sum += loss.item() * len(y)
            hits += (logits.argmax(1) == y).sum().item()
            n += len(y)
    return loss_sum / n, hits / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--patches", type=int, default=1800)
    ap.add_argument("--epochs", type=int, default=22)
    ap.add_argument("--batch-size", type=int, default=48)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    archive = read_archive(args.patches, args.seed)
    train_set = Patches(archive, "train", seed=args.seed)
    test_set = Patches(archive, "test", stats=train_set.stats)
    train_loader = DataLoader(train_set, args.batch_size, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, 256)
    print(f"{len(train_set)} training patches, {len(test_set)} test patches")

    model = PatchNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=args.epochs * len(train_loader))
    for epoch in range(1, args.epochs + 1):
        loss, acc = run_epoch(model, train_loader, optimizer, scheduler)
        if epoch % 2 == 0:
            print(f"epoch {epoch:2d}  loss {loss:.4f}  acc {acc:.3f}")
    loss, acc = run_epoch(model, test_loader)
    print(f"test loss {loss:.4f}  test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()

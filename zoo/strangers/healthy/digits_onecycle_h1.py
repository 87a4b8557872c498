#!/usr/bin/env python
"""Small residual CNN on the 8x8 digits, trained with the one-cycle policy.

    python digits_onecycle.py --epochs 25 --max-lr 4e-3
"""
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset


class DigitImages(Dataset):
    def __init__(self, images, labels, mean, std, augment=False, seed=0):
        self.images = torch.as_tensor(images, dtype=torch.float32).unsqueeze(1)
        self.images = (self.images - mean) / std
        # what "black" becomes after normalisation; used to fill shifted borders
        self.background = (0.0 - mean) / std
        self.labels = torch.as_tensor(labels, dtype=torch.long)
        self.augment = augment
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.labels)

    def _shift(self, img):
        dx, dy = self.rng.integers(-1, 2, size=2)
        padded = F.pad(img, (1, 1, 1, 1), value=self.background)
        return padded[:, 1 + dy:9 + dy, 1 + dx:9 + dx]

    def __getitem__(self, i):
        img = self.images[i]
        if self.augment:
            img = self._shift(img)
        return img, self.labels[i]


class Block(nn.Module):
    def __init__(self, cin, cout, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(cin, cout, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(cout)
        self.conv2 = nn.Conv2d(cout, cout, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(cout)
        if stride != 1 or cin != cout:
            self.skip = nn.Sequential(nn.Conv2d(cin, cout, 1, stride, bias=False), nn.BatchNorm2d(cout))
        else:
            self.skip = nn.Identity()

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        return F.relu(out + self.skip(x))


class TinyResNet(nn.Module):
    def __init__(self, width=16, classes=10):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
            Block(width, width), Block(width, 2 * width, 2))
        self.fc = nn.Linear(2 * width, classes)

    def forward(self, x):
        return self.fc(self.body(x).mean(dim=(2, 3)))


def decay_groups(model, wd):
    """Weight decay on kernels only; biases and norm parameters are left alone."""
    yes, no = [], []
    for p in model.parameters():
        (yes if p.ndim > 1 else no).append(p)
    return [{"params": yes, "weight_decay": wd}, {"params": no, "weight_decay": 0.0}]


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss = hits = n = 0
    for x, y in loader:
        logits = model(x)
        loss += F.cross_entropy(logits, y, reduction="sum").item()
        hits += (logits.argmax(1) == y).sum().item()
        n += len(y)
    return loss / n, hits / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=22)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--max-lr", type=float, default=5e-3)
    ap.add_argument("--weight-decay", type=float, default=1e-2)
    ap.add_argument("--seed", type=int, default=7)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    data = load_digits()
    images = data.images / 16.0
    x_rest, x_test, y_rest, y_test = train_test_split(
        images, data.target, test_size=300, stratify=data.target, random_state=args.seed)
    x_tr, x_va, y_tr, y_va = train_test_split(
        x_rest, y_rest, test_size=250, stratify=y_rest, random_state=args.seed)
    mean, std = float(x_tr.mean()), float(x_tr.std())

    train_dl = DataLoader(DigitImages(x_tr, y_tr, mean, std, augment=True, seed=args.seed),
                          args.batch_size, shuffle=True, drop_last=True)
    val_dl = DataLoader(DigitImages(x_va, y_va, mean, std), 256)
    test_dl = DataLoader(DigitImages(x_test, y_test, mean, std), 256)

    model = TinyResNet()
    opt = torch.optim.AdamW(decay_groups(model, args.weight_decay), lr=args.max_lr)
    # one-cycle is defined per optimizer step, so it is stepped per batch below
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, max_lr=args.max_lr, epochs=args.epochs, steps_per_epoch=len(train_dl), pct_start=0.25)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)

    print(f"train {len(x_tr)}  val {len(x_va)}  test {len(x_test)}  "
          f"params {sum(p.numel() for p in model.parameters())}")
    for epoch in range(1, args.epochs + 1):
        model.train()
        running = seen = 0
        for x, y in train_dl:
            loss = criterion(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item() * len(y)
            seen += len(y)
        vl, va = evaluate(model, val_dl)
        print(f"[{epoch:02d}/{args.epochs}] lr {sched.get_last_lr()[0]:.2e}  "
              f"train(ls) {running / seen:.4f}  val {vl:.4f}  acc {va:.3f}")

    tl, ta = evaluate(model, test_dl)
    print(f"test loss {tl:.4f}  accuracy {ta:.3f}")


if __name__ == "__main__":
    main()

import argparse
import math
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

KINDS = ["up-chirp", "down-chirp", "two-tone", "am-tone", "click-train", "fm-wobble"]
LENGTH = 512


def synth(kind, rng):
    t = np.arange(LENGTH) / LENGTH
    f = rng.uniform(20, 45)
    ph = rng.uniform(0, 2 * math.pi)
    if kind == 0:
        s = np.sin(2 * math.pi * (f * t + 25 * t ** 2) + ph)
    elif kind == 1:
        s = np.sin(2 * math.pi * ((f + 50) * t - 25 * t ** 2) + ph)
    elif kind == 2:
        s = 0.7 * np.sin(2 * math.pi * f * t + ph) + 0.7 * np.sin(2 * math.pi * f * 1.6 * t)
    elif kind == 3:
        s = (1 + 0.9 * np.sin(2 * math.pi * rng.uniform(4, 7) * t)) * np.sin(2 * math.pi * f * t + ph) / 1.2
    elif kind == 4:
        s = np.zeros(LENGTH)
        s[rng.integers(0, 20)::rng.integers(20, 34)] = 3.0
    else:
        s = np.sin(2 * math.pi * f * t + 4 * np.sin(2 * math.pi * rng.uniform(3, 5) * t) + ph)
    return (s + 0.4 * rng.normal(size=LENGTH)).astype(np.float32)


def make_corpus(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(KINDS), size=n)
    x = np.stack([synth(k, rng) for k in y])
    return torch.from_numpy(x), torch.from_numpy(y)


class ClipDataset(Dataset):
    def __init__(self, x, y, augment=True):
        self.y = y
        window = torch.hann_window(64)
        spec = torch.stft(x, n_fft=64, hop_length=16, window=window, return_complex=True).abs()
        self.spec = torch.log1p(spec)
        self.augment = augment

    def __len__(self):
        return len(self.y)

    def _augment(self, s):
        s = s.clone()
        s = s + 0.3 * torch.randn_like(s)
        for _ in range(2):
            w = random.randint(4, 12)
            a = random.randint(0, s.shape[1] - w)
            s[:, a:a + w] = 0.0
        w = random.randint(3, 9)
        a = random.randint(0, s.shape[0] - w)
        s[a:a + w, :] = 0.0
        return s * random.uniform(0.6, 1.4)

    def __getitem__(self, i):
        s = self.spec[i]
        if self.augment:
            s = self._augment(s)
        return (s.unsqueeze(0) - 0.9) / 0.7, self.y[i]


class SpecNet(nn.Module):
    def __init__(self, n_classes, width=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.BatchNorm2d(2 * width), nn.ReLU(),
            nn.AdaptiveAvgPool2d((4, 2)),
        )
        self.head = nn.Linear(2 * width * 8, n_classes)

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def evaluate(model, loader):
    model.eval()
    hits, loss_sum, n = 0, 0.0, 0
    with torch.no_grad():
        for xb, yb in loader:
            out = model(xb)
            loss_sum += nn.functional.cross_entropy(out, yb, reduction="sum").item()
            hits += (out.argmax(1) == yb).sum().item()
            n += len(yb)
    return loss_sum / n, hits / n


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--batch-size", type=int, default=48)
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--seed", type=int, default=3)
    args = p.parse_args()

    random.seed(args.seed)
    torch.manual_seed(args.seed)

    train_set = ClipDataset(*make_corpus(1300, args.seed))
    val_set = ClipDataset(*make_corpus(500, args.seed + 1))
    test_set = ClipDataset(*make_corpus(800, args.seed + 2))
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True, drop_last=True)
    val_loader = DataLoader(val_set, batch_size=250)
    test_loader = DataLoader(test_set, batch_size=250)

    model = SpecNet(len(KINDS))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs)

    for epoch in range(1, args.epochs + 1):
        model.train()
        running, seen = 0.0, 0
        for xb, yb in train_loader:
            opt.zero_grad()
            loss = nn.functional.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
            running += loss.item() * len(yb)
            seen += len(yb)
        sched.step()
        val_loss, val_acc = evaluate(model, val_loader)
        print(f"epoch {epoch:2d} train {running / seen:.3f} val {val_loss:.3f} acc {val_acc:.3f}")

    test_loss, test_acc = evaluate(model, test_loader)
    print(f"test loss {test_loss:.3f}, test accuracy {test_acc:.3f}")


if __name__ == "__main__":
    main()

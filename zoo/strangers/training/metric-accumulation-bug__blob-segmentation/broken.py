"""Segment nuclei-like blobs in noisy images with a small U-Net."""
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


# ------------------------------------------------------------------ data
class Blobs(Dataset):
    def __init__(self, n, size=32, seed=0, augment=False):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[:size, :size]
        self.images, self.masks, self.augment = [], [], augment
        for _ in range(n):
            mask = np.zeros((size, size), bool)
            for _ in range(rng.integers(2, 6)):
                cy, cx = rng.uniform(3, size - 3, 2)
                a, b = rng.uniform(2.5, 5.5, 2)
                th = rng.uniform(0, math.pi)
                u = (xx - cx) * math.cos(th) + (yy - cy) * math.sin(th)
                v = -(xx - cx) * math.sin(th) + (yy - cy) * math.cos(th)
                mask |= (u / a) ** 2 + (v / b) ** 2 < 1
            shade = 0.5 * np.sin(xx / size * rng.uniform(1, 5) + rng.uniform(0, 6))
            img = mask * rng.uniform(0.8, 1.4) + shade + rng.normal(0, 0.45, mask.shape)
            img = (img - img.mean()) / img.std()
            self.images.append(torch.tensor(img, dtype=torch.float32)[None])
            self.masks.append(torch.tensor(mask, dtype=torch.float32)[None])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        img, mask = self.images[i], self.masks[i]
        if self.augment:
            k = int(torch.randint(4, (1,)))
            img, mask = torch.rot90(img, k, (1, 2)), torch.rot90(mask, k, (1, 2))
            if torch.rand(1) < 0.5:
                img, mask = img.flip(2), mask.flip(2)
        return img, mask


# ------------------------------------------------------------------ model
def conv(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class TinyUNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2, self.mid = conv(1, w), conv(w, 2 * w), conv(2 * w, 4 * w)
        self.u2, self.u1 = conv(6 * w, 2 * w), conv(3 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        b = self.u2(torch.cat([F.interpolate(c, scale_factor=2.0), b], 1))
        a = self.u1(torch.cat([F.interpolate(b, scale_factor=2.0), a], 1))
        return self.out(a)


# ------------------------------------------------------------------ metrics
@dataclass
class IoUMeter:
    inter: float = 0.0
    union: float = 0.0

    def reset(self):
        self.inter = self.union = 0.0

    def update(self, logits, mask):
        pred, mask = logits > 0, mask > 0.5
        self.inter += (pred & mask).sum().item()
        self.union += (pred | mask).sum().item()

    def compute(self):
        return self.inter / max(self.union, 1.0)


# ------------------------------------------------------------------ engine
class Engine:
    def __init__(self, model, epochs, lr, steps):
        self.model, self.epochs = model, epochs
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-3)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, lr, total_steps=epochs * steps, pct_start=0.5)
        self.meter = IoUMeter()

    def fit(self, train_dl, valid_dl):
        for epoch in range(self.epochs):
            self.model.train()
            total, n = 0.0, 0
            for img, mask in train_dl:
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    logits = self.model(img)
                loss = F.binary_cross_entropy_with_logits(logits.float(), mask)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.sched.step()
                total += loss.item() * len(img)
                n += len(img)
            val_loss, val_iou = self.evaluate(valid_dl)
            print(f"epoch {epoch + 1:2d} train loss {total / n:.4f} valid loss {val_loss:.4f} valid IoU {val_iou:.4f}")

    @torch.inference_mode()
    def evaluate(self, loader):
        self.model.eval()
        total, n = 0.0, 0
        for img, mask in loader:
            logits = self.model(img)
            total += F.binary_cross_entropy_with_logits(logits, mask).item() * len(img)
            n += len(img)
            self.meter.update(logits, mask)
        return total / n, self.meter.compute()


def main():
    torch.manual_seed(0)
    train_dl = DataLoader(Blobs(480, seed=1, augment=True), batch_size=16, shuffle=True, drop_last=True)
    valid_dl = DataLoader(Blobs(150, seed=2), batch_size=50)
    test_dl = DataLoader(Blobs(150, seed=3), batch_size=50)
    engine = Engine(TinyUNet(), epochs=10, lr=4e-3, steps=len(train_dl))
    engine.fit(train_dl, valid_dl)
    loss, iou = engine.evaluate(test_dl)
    print(f"test loss {loss:.4f} IoU {iou:.4f}")


if __name__ == "__main__":
    main()

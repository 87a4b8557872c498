from dataclasses import dataclass
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader


@dataclass
class CFG:
    seed: int = 3
    n_images: int = 900
    size: int = 20
    classes: int = 4
    val_frac: float = 0.25
    batch_size: int = 32
    epochs: int = 10
    lr: float = 2e-3
    wd: float = 5e-2


def set_seed(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)


def draw_leaf(label, size, rng):
    """Green leaf with lesions; the disease decides shape and number of the lesions."""
    yy, xx = np.mgrid[0:size, 0:size] / (size - 1) * 2 - 1
    img = np.zeros((3, size, size))
    leaf = (xx / rng.uniform(0.7, 1.0)) ** 2 + (yy / rng.uniform(0.5, 0.9)) ** 2 < 1
    img[1][leaf] = rng.uniform(0.4, 0.8)
    img[0][leaf] = rng.uniform(0.05, 0.3)
    n = rng.integers(1, 5)
    for _ in range(n):
        cx, cy = rng.uniform(-0.6, 0.6, 2)
        r2 = (xx - cx) ** 2 + (yy - cy) ** 2
        if label == 1:      # rust: small spots
            m = r2 < 0.02
        elif label == 2:    # blight: bars
            m = (np.abs(xx - cx) < 0.08) & (np.abs(yy - cy) < 0.35)
        elif label == 3:    # ring spot
            m = (r2 < 0.1) & (r2 > 0.03)
        else:               # healthy: faint shade only
            m = r2 < 0.015
            img[1][m & leaf] *= 0.85
            continue
        img[0][m & leaf] += rng.uniform(0.3, 0.55)
    return img + rng.normal(0, 0.08, img.shape)


def make_archive(cfg):
    rng = np.random.default_rng(cfg.seed)
    labels = rng.integers(0, cfg.classes, cfg.n_images)
    images = np.stack([draw_leaf(l, cfg.size, rng) for l in labels]).astype(np.float32)
    return images, labels


class LeafDataset(Dataset):
    def __init__(self, archive, cfg, split="train"):
        images, labels = archive
        order = np.random.permutation(len(images))
        n_val = int(len(images) * cfg.val_frac)
        keep = order[n_val:] if split == "train" else order[:n_val]
        self.images = torch.from_numpy(images[keep])
        self.labels = torch.from_numpy(labels[keep])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return (self.images[i] - 0.3) / 0.3, self.labels[i]


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.c1 = nn.Conv2d(cin, cout, 3, padding=1, bias=False)
        self.b1 = nn.BatchNorm2d(cout)
        self.c2 = nn.Conv2d(cout, cout, 3, padding=1, bias=False)
        self.b2 = nn.BatchNorm2d(cout)
        self.skip = nn.Conv2d(cin, cout, 1)

    def forward(self, x):
        h = F.relu(self.b1(self.c1(x)))
        return F.relu(self.b2(self.c2(h)) + self.skip(x))


class LeafNet(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.blocks = nn.Sequential(Block(3, 12), nn.MaxPool2d(2), Block(12, 24), nn.MaxPool2d(2))
        self.fc = nn.Linear(24 * 25, classes)

    def forward(self, x):
        return self.fc(self.blocks(x).flatten(1))


def run_epoch(model, loader, opt=None, sched=None):
    model.train(opt is not None)
    tot, hit, n = 0.0, 0, 0
    with torch.set_grad_enabled(opt is not None):
        for x, y in loader:
            out = model(x)
            loss = F.cross_entropy(out, y)
            if opt is not None:
                opt.zero_grad(set_to_none=True)
                loss.backward()
                opt.step()
                sched.step()
            tot += loss.item() * len(y)
            hit += (out.argmax(1) == y).sum().item()
            n += len(y)
    return tot / n, hit / n


if __name__ == "__main__":
    cfg = CFG()
    set_seed(cfg.seed)
    archive = make_archive(cfg)
    train_ds = LeafDataset(archive, cfg, "train")
    val_ds = LeafDataset(archive, cfg, "val")
    train_dl = DataLoader(train_ds, cfg.batch_size, shuffle=True)
    val_dl = DataLoader(val_ds, 128)
    print(f"{len(train_ds)} training / {len(val_ds)} validation images")

    model = LeafNet(cfg.classes)
    opt = torch.optim.AdamW(model.parameters(), cfg.lr, weight_decay=cfg.wd)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=cfg.epochs * len(train_dl))
    for ep in range(cfg.epochs):
        t0 = time.time()
        tl, ta = run_epoch(model, train_dl, opt, sched)
        vl, va = run_epoch(model, val_dl)
        print(f"[{ep:02d}] train {tl:.3f}/{ta:.3f}  val {vl:.3f}/{va:.3f}  {time.time() - t0:.1f}s")

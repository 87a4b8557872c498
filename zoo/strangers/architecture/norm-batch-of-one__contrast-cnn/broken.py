"""Texture + contrast classification with a small CNN, trained in micro-batches."""
import logging
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")

CONFIG = {
    "seed": 21,
    "data": {"size": 12, "train": 512, "val": 320, "test": 320},
    "model": {"channels": 12},
    "train": {"epochs": 10, "batch_size": 32, "micro_batch": 1, "lr": 1e-2, "weight_decay": 1e-4},
}

ORIENTATIONS = (0.0, np.pi / 2)
CONTRASTS = (0.5, 1.0, 2.0)


def gratings(n, size, rng):
    yy, xx = np.mgrid[0:size, 0:size]
    labels = rng.integers(0, len(ORIENTATIONS) * len(CONTRASTS), n)
    images = np.empty((n, 1, size, size), dtype=np.float32)
    for i, k in enumerate(labels):
        theta = ORIENTATIONS[k % 2] + rng.normal(0, 0.15)
        contrast = CONTRASTS[k // 2] * rng.uniform(0.88, 1.12)
        freq, phase = rng.uniform(1.2, 1.6), rng.uniform(0, 2 * np.pi)
        wave = np.sin(freq * (xx * np.cos(theta) + yy * np.sin(theta)) + phase)
        images[i, 0] = contrast * (wave + rng.normal(0, 0.25, (size, size)))
    return torch.from_numpy(images), torch.from_numpy(labels)


def conv_bn(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1, bias=False),
        nn.BatchNorm2d(c_out),
        nn.ReLU(),
    )


class TextureNet(nn.Module):
    def __init__(self, channels, n_classes):
        super().__init__()
        self.features = nn.Sequential(conv_bn(1, channels), nn.MaxPool2d(2), conv_bn(channels, 2 * channels))
        self.fc = nn.Linear(2 * channels, n_classes)

    def forward(self, x):
        return self.fc(self.features(x).mean(dim=(2, 3)))


def train_epoch(model, opt, loader, accum):
    model.train()
    total, seen = 0.0, 0
    opt.zero_grad()
    for step, (x, y) in enumerate(loader, start=1):
        loss = F.cross_entropy(model(x), y)
        (loss / accum).backward()
        if step % accum == 0:
            opt.step()
            opt.zero_grad()
        total += loss.item() * len(x)
        seen += len(x)
    return total / seen


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    loss, hit, seen = 0.0, 0, 0
    for x, y in loader:
        out = model(x)
        loss += F.cross_entropy(out, y, reduction="sum").item()
        hit += (out.argmax(1) == y).sum().item()
        seen += len(x)
    return loss / seen, hit / seen


def main(cfg):
    torch.set_num_threads(1)
    torch.manual_seed(cfg["seed"])
    rng = np.random.default_rng(cfg["seed"])
    d, t = cfg["data"], cfg["train"]

    sets = {k: gratings(d[k], d["size"], rng) for k in ("train", "val", "test")}
    mean, std = sets["train"][0].mean(), sets["train"][0].std()
    sets = {k: TensorDataset((x - mean) / std, y) for k, (x, y) in sets.items()}

    gen = torch.Generator().manual_seed(cfg["seed"])
    train_loader = DataLoader(sets["train"], batch_size=t["micro_batch"], shuffle=True, generator=gen)
    val_loader = DataLoader(sets["val"], batch_size=160)
    test_loader = DataLoader(sets["test"], batch_size=160)
    accum = t["batch_size"] // t["micro_batch"]
    assert len(train_loader) % accum == 0, "training set must fill whole batches"

    model = TextureNet(n_classes=len(ORIENTATIONS) * len(CONTRASTS), **cfg["model"])
    opt = torch.optim.AdamW(model.parameters(), lr=t["lr"], weight_decay=t["weight_decay"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=t["epochs"], eta_min=3e-4)
    logging.info("micro-batch %d, accumulate %d, steps per epoch %d", t["micro_batch"], accum, len(train_loader) // accum)

    for epoch in range(t["epochs"]):
        train_loss = train_epoch(model, opt, train_loader, accum)
        sched.step()
        val_loss, val_acc = evaluate(model, val_loader)
        logging.info("epoch %2d   train %.4f   val %.4f   val acc %.3f", epoch, train_loss, val_loss, val_acc)

    test_loss, test_acc = evaluate(model, test_loader)
    logging.info("test loss %.4f   test acc %.3f", test_loss, test_acc)


if __name__ == "__main__":
    main(CONFIG)

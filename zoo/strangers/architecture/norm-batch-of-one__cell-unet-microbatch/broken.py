"""
Cell segmentation demo: label every pixel as background, healthy cell or stained cell.

Stained cells are recognised by how strongly they fluoresce; detector noise grows with the exposure of the frame.
To keep the memory footprint small, each optimisation step accumulates gradients over several micro-batches.
"""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class Settings:
    side: int = 24
    n_train: int = 320
    n_test: int = 96
    channels: int = 12
    n_classes: int = 3
    effective_batch: int = 16
    micro_batch: int = 1
    epochs: int = 16
    lr: float = 8e-3
    seed: int = 11

    @property
    def accumulation_steps(self) -> int:
        return self.effective_batch // self.micro_batch


def synth_frames(n: int, side: int, rng: np.random.Generator):
    yy, xx = np.mgrid[:side, :side]
    frames = np.zeros((n, 1, side, side), dtype=np.float32)
    masks = np.zeros((n, side, side), dtype=np.int64)
    for i in range(n):
        stained = rng.integers(0, 2)
        level = rng.uniform(2.2, 3.0) if stained else rng.uniform(0.8, 1.2)
        for _ in range(rng.integers(1, 4)):
            cy, cx = rng.uniform(4, side - 4, size=2)
            inside = (yy - cy) ** 2 + (xx - cx) ** 2 < rng.uniform(2.5, 5.0) ** 2
            frames[i, 0][inside] = level
            masks[i][inside] = 1 + stained
        frames[i, 0] += rng.normal(scale=0.15 * level, size=(side, side))
    return frames, masks


class ConvBlock(nn.Module):
    def __init__(self, c_in: int, c_out: int):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(c_out)

    def forward(self, x):
        return F.relu(self.bn(self.conv(x)))


class MiniUNet(nn.Module):
    def __init__(self, width: int, n_classes: int):
        super().__init__()
        self.enc1 = ConvBlock(1, width)
        self.enc2 = ConvBlock(width, 2 * width)
        self.dec1 = ConvBlock(3 * width, width)
        self.out = nn.Conv2d(width, n_classes, 1)

    def forward(self, x):
        s1 = self.enc1(x)
        s2 = self.enc2(F.max_pool2d(s1, 2))
        up = F.interpolate(s2, scale_factor=2, mode="nearest")
        return self.out(self.dec1(torch.cat([up, s1], dim=1)))


def mean_iou(pred: torch.Tensor, target: torch.Tensor, n_classes: int) -> float:
    scores = []
    for c in range(n_classes):
        inter = ((pred == c) & (target == c)).sum().item()
        union = ((pred == c) | (target == c)).sum().item()
        scores.append(inter / max(union, 1))
    return float(np.mean(scores))


@torch.no_grad()
def evaluate(model: nn.Module, frames: torch.Tensor, masks: torch.Tensor, n_classes: int) -> tuple[float, float]:
    model.eval()
    logits = torch.cat([model(chunk) for chunk in frames.split(32)])
    return F.cross_entropy(logits, masks).item(), mean_iou(logits.argmax(dim=1), masks, n_classes)


def train(cfg: Settings) -> None:
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    x_train, y_train = synth_frames(cfg.n_train, cfg.side, rng)
    x_test, y_test = synth_frames(cfg.n_test, cfg.side, rng)
    mean, std = x_train.mean(), x_train.std()
    x_train, x_test = (torch.from_numpy((a - mean) / std) for a in (x_train, x_test))
    y_train, y_test = torch.from_numpy(y_train), torch.from_numpy(y_test)

    model = MiniUNet(cfg.channels, cfg.n_classes)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=cfg.epochs)
    for epoch in range(cfg.epochs):
        model.train()
        order = torch.randperm(len(x_train))
        epoch_loss = 0.0
        for batch_idx in order.split(cfg.effective_batch):
            optimizer.zero_grad()
            for idx in batch_idx.split(cfg.micro_batch):
                loss = F.cross_entropy(model(x_train[idx]), y_train[idx]) / cfg.accumulation_steps
                loss.backward()
                epoch_loss += loss.item()
            optimizer.step()
        scheduler.step()
        n_steps = len(x_train) // cfg.effective_batch
        print(f"[{epoch + 1:02d}/{cfg.epochs}] train loss {epoch_loss / n_steps:.4f}")
    test_loss, miou = evaluate(model, x_test, y_test, cfg.n_classes)
    print(f"test loss {test_loss:.4f}  mean IoU {miou:.3f}")


if __name__ == "__main__":
    train(Settings())

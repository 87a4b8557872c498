"""Foreground segmentation on synthetic 32x32 blobs. Small U-shaped net."""
from __future__ import annotations

import resource
import time
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)


@dataclass
class SegConfig:
    train_images: int = 480
    val_images: int = 800
    size: int = 32
    width: int = 12
    batch_size: int = 16
    eval_batch_size: int = 64
    epochs: int = 5
    lr: float = 5e-3
    seed: int = 3


def peak_rss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def synth_blobs(n: int, size: int, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
    masks = np.zeros((n, size, size), dtype=bool)
    for k in range(n):
        for _ in range(rng.integers(2, 5)):
            cy, cx = rng.uniform(4, size - 4, size=2)
            ry, rx = rng.uniform(4, 8, size=2)
            masks[k] |= ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1.0
    images = masks * 1.0 + rng.normal(0, 0.7, size=masks.shape)
    x = torch.from_numpy(images.astype(np.float32))[:, None]
    y = torch.from_numpy(masks.astype(np.float32))[:, None]
    return x, y


class DoubleConv(nn.Sequential):
    def __init__(self, c_in: int, c_out: int) -> None:
        super().__init__(
            nn.Conv2d(c_in, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.ReLU(),
            nn.Conv2d(c_out, c_out, 3, padding=1), nn.BatchNorm2d(c_out), nn.ReLU(),
        )


class MiniUNet(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.down = DoubleConv(1, width)
        self.mid = DoubleConv(width, 2 * width)
        self.up = DoubleConv(3 * width, width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x: Tensor) -> Tensor:
        a = self.down(x)
        b = self.mid(F.max_pool2d(a, 2))
        b = F.interpolate(b, scale_factor=2, mode="nearest")
        return self.out(self.up(torch.cat([a, b], dim=1)))


class SegTrainer:
    def __init__(self, cfg: SegConfig) -> None:
        self.cfg = cfg
        rng = np.random.default_rng(cfg.seed)
        x_tr, y_tr = synth_blobs(cfg.train_images, cfg.size, rng)
        x_va, y_va = synth_blobs(cfg.val_images, cfg.size, rng)
        mean, std = x_tr.mean(), x_tr.std()
        self.train_loader = DataLoader(
            TensorDataset((x_tr - mean) / std, y_tr), batch_size=cfg.batch_size, shuffle=True
        )
        self.val_loader = DataLoader(TensorDataset((x_va - mean) / std, y_va), batch_size=cfg.eval_batch_size)
        self.net = MiniUNet(cfg.width)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=cfg.lr)
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, T_max=cfg.epochs)

    def train_one_epoch(self) -> float:
        self.net.train()
        total, n = 0.0, 0
        for x, y in self.train_loader:
            loss = F.binary_cross_entropy_with_logits(self.net(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item() * len(x)
            n += len(x)
        self.sched.step()
        return total / n

    def evaluate(self) -> dict[str, float]:
        self.net.eval()
        logits, masks = [], []
        for x, y in self.val_loader:
            logits.append(self.net(x))
            masks.append(y)
        scores, truth = torch.cat(logits), torch.cat(masks)
        pred = (torch.sigmoid(scores) > 0.5).float()
        inter = (pred * truth).sum(dim=(1, 2, 3))
        union = torch.clamp(pred + truth, max=1.0).sum(dim=(1, 2, 3))
        return {
            "loss": F.binary_cross_entropy_with_logits(scores, truth).item(),
            "iou": (inter / union.clamp(min=1.0)).mean().item(),
        }

    def run(self) -> None:
        print("config:", asdict(self.cfg))
        print(f"start               peak_rss={peak_rss_mb():.0f}MB")
        for epoch in range(1, self.cfg.epochs + 1):
            t0 = time.perf_counter()
            train_loss = self.train_one_epoch()
            t1 = time.perf_counter()
            rss_train = peak_rss_mb()
            m = self.evaluate()
            t2 = time.perf_counter()
            print(
                f"epoch {epoch} train={train_loss:.4f} val={m['loss']:.4f} iou={m['iou']:.3f} "
                f"fit={t1 - t0:.1f}s eval={t2 - t1:.1f}s peak_rss={rss_train:.0f}->{peak_rss_mb():.0f}MB"
            )


if __name__ == "__main__":
    config = SegConfig()
    torch.manual_seed(config.seed)
    SegTrainer(config).run()

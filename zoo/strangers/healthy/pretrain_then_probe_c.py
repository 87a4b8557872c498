"""Few labels: pretrain an encoder by filling in masked pixels, freeze it, fit a linear probe.

The unlabelled pool and the labelled subset come from the training part only.
"""
from __future__ import annotations

from collections import defaultdict
from typing import Callable, Iterator

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import Tensor, nn


class Encoder(nn.Module):
    def __init__(self, code: int = 128):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(2, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
            nn.Conv2d(24, 48, 3, stride=2, padding=1), nn.BatchNorm2d(48), nn.ReLU(),
        )
        self.fc = nn.Linear(48 * 16, code)

    def forward(self, pixels: Tensor, visible: Tensor) -> Tensor:
        h = self.conv(torch.cat([pixels * visible, visible], dim=1))
        return torch.relu(self.fc(h.flatten(1)))


class Probe(nn.Module):
    """Frozen encoder under a trainable linear layer."""

    def __init__(self, encoder: Encoder, classes: int = 10):
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
        self.norm = nn.BatchNorm1d(128, affine=False)
        self.head = nn.Linear(128, classes)

    def train(self, mode: bool = True) -> "Probe":
        super().train(mode)
        self.encoder.eval()
        return self

    def forward(self, pixels: Tensor) -> Tensor:
        with torch.no_grad():
            code = self.encoder(pixels, torch.ones_like(pixels))
        return self.head(self.norm(code))


class Log:
    def __init__(self):
        self.sums, self.counts = defaultdict(float), defaultdict(int)

    def add(self, name: str, value: float, n: int) -> None:
        self.sums[name] += value * n
        self.counts[name] += n

    def flush(self, prefix: str) -> None:
        print(prefix + "  ".join(f"{k} {self.sums[k] / self.counts[k]:.4f}" for k in self.sums))
        self.sums.clear()
        self.counts.clear()


def epochs_of(n: int, size: int, epochs: int) -> Iterator[tuple[int, Tensor]]:
    for e in range(epochs):
        for idx in torch.randperm(n).split(size):
            if len(idx) > 1:
                yield e, idx


def fit(params, step: Callable[[Tensor, Log], Tensor], n: int, size: int, epochs: int, lr: float, every: int) -> None:
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    log, current = Log(), 0
    for epoch, idx in epochs_of(n, size, epochs):
        if epoch != current:
            sched.step()
            if epoch % every == 0:
                log.flush(f"  [{epoch:3d}] ")
            current = epoch
        loss = step(idx, log)
        opt.zero_grad()
        loss.backward()
        opt.step()
    log.flush(f"  [{epochs:3d}] ")


def main() -> None:
    torch.manual_seed(14)
    x, y = load_digits(return_X_y=True)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.3, stratify=y, random_state=14)
    labelled, _ = train_test_split(np.arange(len(x_tr)), train_size=200, stratify=y_tr, random_state=14)
    mean, std = x_tr.mean(), x_tr.std()
    pool, test = (torch.tensor((a - mean) / std, dtype=torch.float32).view(-1, 1, 8, 8) for a in (x_tr, x_te))
    y_tr, y_te = torch.from_numpy(y_tr), torch.from_numpy(y_te)

    encoder = Encoder()
    decoder = nn.Sequential(nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 64), nn.Unflatten(1, (1, 8, 8)))

    def fill_in(idx: Tensor, log: Log) -> Tensor:
        img = pool[idx]
        visible = (torch.rand_like(img) > 0.5).float()
        hidden = 1 - visible
        err = (decoder(encoder(img, visible)) - img).pow(2) * hidden
        loss = err.sum() / hidden.sum()
        log.add("hidden-pixel mse", loss.item(), len(idx))
        return loss

    print("pretraining on", len(pool), "images without labels")
    fit([*encoder.parameters(), *decoder.parameters()], fill_in, len(pool), 64, epochs=24, lr=2e-3, every=6)

    probe = Probe(encoder)
    few_x, few_y = pool[labelled], y_tr[labelled]
    probe.train()

    def classify(idx: Tensor, log: Log) -> Tensor:
        logits = probe(few_x[idx])
        loss = nn.functional.cross_entropy(logits, few_y[idx], label_smoothing=0.05)
        log.add("loss", loss.item(), len(idx))
        log.add("accuracy", (logits.argmax(1) == few_y[idx]).float().mean().item(), len(idx))
        return loss

    print("probe on", len(few_x), "labelled images")
    fit(probe.head.parameters(), classify, len(few_x), 50, epochs=60, lr=5e-3, every=20)

    probe.eval()
    with torch.no_grad():
        acc = (probe(test).argmax(1) == y_te).float().mean().item()
    print(f"test accuracy of the probe: {acc:.3f}")


if __name__ == "__main__":
    main()

"""Classify short acoustic events (tone, up-chirp, down-chirp, warble, pulse train).

Waveforms are synthesised with random pitch, onset, loudness and background
noise; a small 1-D CNN is trained for a fixed number of steps and the checkpoint
with the best validation accuracy is evaluated once on the test set.
"""
from __future__ import annotations

import argparse
import copy
import logging
from typing import Iterator

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("events")

CLASSES = ("tone", "up_chirp", "down_chirp", "warble", "pulses")
LENGTH = 256


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train-clips", type=int, default=64)
    parser.add_argument("--eval-clips", type=int, default=1000)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--max-steps", type=int, default=700)
    parser.add_argument("--eval-every", type=int, default=100)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--weight-decay", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=2024)
    return parser.parse_args()


def synthesise(count: int, rng: np.random.Generator) -> TensorDataset:
    """Draw `count` clips; each is scaled to zero mean and unit variance on its own."""
    labels = rng.integers(0, len(CLASSES), size=count)
    t = np.linspace(0.0, 1.0, LENGTH)
    clips = np.empty((count, LENGTH), dtype=np.float32)
    for i, label in enumerate(labels):
        f0 = rng.uniform(12.0, 40.0)
        phase = rng.uniform(0.0, 2.0 * np.pi)
        sweep = rng.uniform(8.0, 20.0)
        if label == 0:
            angle = 2 * np.pi * f0 * t
        elif label == 1:
            angle = 2 * np.pi * (f0 * t + 0.5 * sweep * t ** 2)
        elif label == 2:
            angle = 2 * np.pi * ((f0 + sweep) * t - 0.5 * sweep * t ** 2)
        elif label == 3:
            angle = 2 * np.pi * f0 * t + rng.uniform(1.5, 3.0) * np.sin(2 * np.pi * rng.uniform(3.0, 6.0) * t)
        else:
            angle = 2 * np.pi * f0 * t
        wave = np.sin(angle + phase)
        if label == 4:
            wave = wave * (np.sin(2 * np.pi * rng.uniform(3.0, 6.0) * t + phase) > 0)
        onset, width = rng.uniform(0.0, 0.25), rng.uniform(0.65, 0.75)
        envelope = 1 / (1 + np.exp(-(t - onset) * 60)) * 1 / (1 + np.exp((t - onset - width) * 60))
        clip = wave * envelope * rng.uniform(0.7, 1.3) + rng.normal(scale=0.3, size=LENGTH)
        clips[i] = (clip - clip.mean()) / clip.std()
    return TensorDataset(torch.from_numpy(clips).unsqueeze(1), torch.from_numpy(labels))


class EventNet(nn.Module):
    def __init__(self, num_classes: int, width: int = 32) -> None:
        super().__init__()

        def block(c_in: int, c_out: int, stride: int) -> nn.Sequential:
            return nn.Sequential(
                nn.Conv1d(c_in, c_out, kernel_size=9, stride=stride, padding=4, bias=False),
                nn.BatchNorm1d(c_out),
                nn.ReLU(inplace=True),
            )

        self.encoder = nn.Sequential(block(1, width, 2), block(width, width, 2), block(width, 2 * width, 2))
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(2 * width * 4, num_classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = F.adaptive_avg_pool1d(self.encoder(x), 4).flatten(1)
        return self.head(self.dropout(h))


def cycle(loader: DataLoader) -> Iterator[list[torch.Tensor]]:
    while True:
        yield from loader


@torch.no_grad()
def accuracy(model: nn.Module, loader: DataLoader) -> float:
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    return hits / len(loader.dataset)


def train(model: nn.Module, train_loader: DataLoader, val_loader: DataLoader, args: argparse.Namespace) -> dict:
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.max_steps)
    batches = cycle(train_loader)
    best_acc, best_state, window = -1.0, None, []
    for step in range(1, args.max_steps + 1):
        model.train()
        x, y = next(batches)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        window.append(loss.item())
        if step % args.eval_every == 0:
            val_acc = accuracy(model, val_loader)
            log.info("step %4d  train loss %.4f  val acc %.4f", step, float(np.mean(window)), val_acc)
            window.clear()
            if val_acc > best_acc:
                best_acc, best_state = val_acc, copy.deepcopy(model.state_dict())
    return best_state


def main() -> None:
    args = parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    train_loader = DataLoader(synthesise(args.train_clips, rng), batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(synthesise(args.eval_clips, rng), batch_size=250)
    test_loader = DataLoader(synthesise(args.eval_clips, rng), batch_size=250)

    model = EventNet(len(CLASSES))
    model.load_state_dict(train(model, train_loader, val_loader, args))
    log.info("test accuracy %.4f", accuracy(model, test_loader))


if __name__ == "__main__":
    main()

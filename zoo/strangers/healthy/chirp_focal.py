#!/usr/bin/env python3
"""Find a faint bird chirp in one-second clips of noise. Positives are rare (one in eight).

Focal loss with alpha, RetinaNet-style prior on the output bias, two micro-batches per step, and an
exponential moving average of the weights that is what gets evaluated.
"""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, Dataset

RATE = 256          # samples per clip


class ChirpClips(Dataset):
    def __init__(self, n, seed, positive_rate=0.125, augment=False):
        rng = np.random.default_rng(seed)
        t = np.arange(RATE) / RATE
        self.y = (rng.permutation(n) < round(n * positive_rate)).astype(np.float32)
        clips = []
        for label in self.y:
            hum = rng.uniform(0.2, 0.8) * np.sin(2 * np.pi * (rng.uniform(2, 6) * t + rng.uniform()))
            tone = rng.uniform(0.2, 0.8) * np.sin(2 * np.pi * (rng.uniform(25, 60) * t + rng.uniform()))   # steady whistle
            x = rng.normal(0, 0.5, RATE) + hum + tone
            if label:
                f0, sweep = rng.uniform(20, 30), rng.uniform(40, 60)
                centre = rng.uniform(0.3, 0.7)
                envelope = np.exp(-0.5 * ((t - centre) / 0.12) ** 2)
                x += rng.uniform(1.0, 1.6) * envelope * np.sin(2 * np.pi * (f0 * t + 0.5 * sweep * t ** 2) + rng.uniform(0, 6.28))
            clips.append((x - x.mean()) / (x.std() + 1e-8))       # per-clip level, as a microphone AGC would
        self.x = np.stack(clips).astype(np.float32)
        self.augment = augment

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = torch.from_numpy(self.x[i])
        if self.augment:                                          # only the training set is built with augment=True
            x = x.roll(int(torch.randint(-16, 17, (1,))))
            if torch.rand(()) < 0.5:
                x = -x
        return x[None], torch.tensor(self.y[i])


class Detector(nn.Module):
    def __init__(self, prior):
        super().__init__()
        c = [1, 12, 24, 32]
        layers = []
        for a, b, k in zip(c, c[1:], (9, 7, 5)):
            layers += [nn.Conv1d(a, b, k, stride=2, padding=k // 2, bias=False), nn.BatchNorm1d(b), nn.ReLU()]
        self.features = nn.Sequential(*layers)
        self.head = nn.Linear(c[-1], 1)
        nn.init.normal_(self.head.weight, std=0.05)
        nn.init.constant_(self.head.bias, -math.log((1 - prior) / prior))

    def forward(self, x):
        return self.head(self.features(x).amax(dim=-1)).squeeze(-1)


def focal_loss(logits, y, alpha=0.75, gamma=2.0):
    ce = F.binary_cross_entropy_with_logits(logits, y, reduction="none")
    p_true = torch.exp(-ce)                                       # probability given to the right answer
    weight = alpha * y + (1 - alpha) * (1 - y)
    return (weight * (1 - p_true) ** gamma * ce).mean()


def train_one_epoch(model, ema, loader, optimizer, scheduler, accumulate):
    model.train()
    total = seen = 0
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader, start=1):
        loss = focal_loss(model(x), y)
        (loss / accumulate).backward()
        total += loss.item() * len(y)
        seen += len(y)
        if i % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
            scheduler.step()
            ema.update_parameters(model)
    return total / seen


@torch.no_grad()
def validate(model, loader):
    model.eval()
    z, y = zip(*[(model(x), y) for x, y in loader])
    z, y = torch.cat(z), torch.cat(y)
    return focal_loss(z, y).item(), torch.sigmoid(z).numpy(), y.numpy()


def main(args):
    torch.manual_seed(args.seed)
    train = ChirpClips(5120, seed=args.seed, augment=True)
    val, test = ChirpClips(2000, seed=args.seed + 1), ChirpClips(2000, seed=args.seed + 2)
    loader = DataLoader(train, batch_size=args.micro_batch, shuffle=True)
    val_loader, test_loader = DataLoader(val, batch_size=500), DataLoader(test, batch_size=500)
    assert len(loader) % args.accumulate == 0, "no remainder, please"

    model = Detector(prior=float(train.y.mean()))
    ema = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.95), use_buffers=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    steps = args.epochs * len(loader) // args.accumulate
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.lr, total_steps=steps, pct_start=0.1, final_div_factor=4)
    print(f"{int(train.y.sum())} chirps in {len(train)} clips, {steps} optimizer steps")
    for epoch in range(1, args.epochs + 1):
        tr = train_one_epoch(model, ema, loader, optimizer, scheduler, args.accumulate)
        va, prob, y = validate(ema, val_loader)
        print(f"epoch {epoch:2d} | train focal {tr:.5f} | val focal {va:.5f} | val AUC {roc_auc_score(y, prob):.4f} "
              f"| val AP {average_precision_score(y, prob):.4f}")

    _, prob, y = validate(ema, test_loader)
    print(f"TEST  AUC {roc_auc_score(y, prob):.4f}  AP {average_precision_score(y, prob):.4f} (a random ranking has AP {y.mean():.3f})")
    print(confusion_matrix(y, prob > 0.5))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--micro-batch", type=int, default=64)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--seed", type=int, default=21)
    main(parser.parse_args())

"""Bird call detector: chirp species from log-spectrograms, with gain augmentation while training."""
import argparse
import resource
import time
from functools import lru_cache

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SR, CLIP = 4000, 8192
N_FFT, HOP = 256, 64
SPECIES = ["wren", "robin", "finch"]
SHAPES = [(600, 1400), (1400, 600), (900, 950)]      # start and end frequency of the chirp


def make_clips(n, rng):
    t = np.arange(CLIP) / SR
    label = rng.integers(0, len(SPECIES), size=n)
    clips = np.empty((n, CLIP), dtype=np.float32)
    for i, k in enumerate(label):
        f0, f1 = np.array(SHAPES[k]) * rng.uniform(0.8, 1.2)
        onset, dur = rng.uniform(0.2, 1.2), rng.uniform(0.3, 0.6)
        u = np.clip((t - onset) / dur, 0, 1)
        phase = 2 * np.pi * np.cumsum(f0 + (f1 - f0) * u) / SR
        env = np.exp(-0.5 * ((t - onset - dur / 2) / (dur / 4)) ** 2)
        clips[i] = env * np.sin(phase) + 0.25 * rng.normal(size=CLIP)
    return torch.from_numpy(clips), torch.from_numpy(label)


WINDOW = torch.hann_window(N_FFT)


def log_spectrogram(wave):
    spec = torch.stft(wave, N_FFT, HOP, window=WINDOW, return_complex=True).abs()
    return torch.log1p(spec) - 1.0


class Calls(Dataset):
    def __init__(self, clips, labels, augment, seed=0):
        self.clips, self.labels, self.augment = clips, labels, augment
        self.rng = np.random.default_rng(seed)
        self.features = lru_cache(maxsize=None)(self._features)

    def _features(self, i, gain):
        return log_spectrogram(self.clips[i] * gain)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        gain = float(self.rng.uniform(0.7, 1.4)) if self.augment else 1.0
        spec = self.features(i, gain)
        return spec[:96].unsqueeze(0), self.labels[i]


class CallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=(3, 4), padding=2), nn.BatchNorm2d(8), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        )
        self.head = nn.Linear(24 * 8, len(SPECIES))

    def forward(self, x):
        return self.head(self.features(x).mean(dim=3).flatten(1))


def evaluate(model, loader):
    model.eval()
    loss = hits = n = 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, hits / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=9)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()
    torch.manual_seed(3)
    rng = np.random.default_rng(3)

    train_set = Calls(*make_clips(1200, rng), augment=True, seed=4)
    val_set = Calls(*make_clips(240, rng), augment=False)
    test_set = Calls(*make_clips(400, rng), augment=False)
    train = DataLoader(train_set, batch_size=32, shuffle=True, drop_last=True)
    val, test = DataLoader(val_set, batch_size=80), DataLoader(test_set, batch_size=80)

    model = CallNet()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.epochs * len(train))
    for epoch in range(args.epochs):
        start, total = time.time(), 0.0
        model.train()
        for x, y in train:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item()
        vl, va = evaluate(model, val)
        mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(f"epoch {epoch:2d}  loss {total / len(train):.4f}  val {vl:.4f}  acc {va:.3f}  "
              f"{time.time() - start:.1f}s  peak {mb} MB")
    print(f"test accuracy {evaluate(model, test)[1]:.3f}")


if __name__ == "__main__":
    main()

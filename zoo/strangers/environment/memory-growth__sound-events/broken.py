"""Sound event classification from random crops of longer recordings."""
import argparse
import random
import resource
import time
from functools import lru_cache

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SR = 4000
EVENTS = ["chirp", "siren", "knock", "hum", "noise-burst", "trill"]


def synth_recording(label, rng, seconds=4.0):
    t = np.arange(int(SR * seconds)) / SR
    f0 = rng.uniform(250, 700)
    phase = rng.uniform(0, 2 * np.pi)
    if label == 0:
        rate = rng.uniform(1.5, 2.5)
        x = np.sin(2 * np.pi * (f0 * t + 300 / rate * (t * rate % 1) ** 2))
    elif label == 1:
        x = np.sin(2 * np.pi * f0 * t + 60 * np.sin(2 * np.pi * rng.uniform(0.8, 1.4) * t + phase))
    elif label == 2:
        x = np.sin(2 * np.pi * 0.5 * f0 * t) * np.exp(-12 * (t * rng.uniform(2, 4) % 1))
    elif label == 3:
        x = sum(np.sin(2 * np.pi * 0.4 * k * f0 * t + phase * k) / k for k in range(1, 6))
    elif label == 4:
        x = rng.standard_normal(len(t)) * (np.sin(2 * np.pi * rng.uniform(2, 4) * t + phase) > 0.3)
    else:
        x = np.sin(2 * np.pi * f0 * t) * (0.5 + 0.5 * np.sin(2 * np.pi * rng.uniform(14, 22) * t))
    x = x / (np.abs(x).max() + 1e-6) * rng.uniform(0.5, 1.0)
    return (x + rng.normal(0, 0.35, len(t))).astype(np.float32)


class EventCrops(Dataset):
    """Log-spectrograms of one-second crops: random position for training, the centre otherwise."""

    def __init__(self, recordings, labels, train, crop=SR, n_fft=254, hop=32):
        self.recordings = recordings
        self.labels = labels
        self.train = train
        self.crop, self.n_fft, self.hop = crop, n_fft, hop
        self.window = torch.hann_window(n_fft)
        self.mean, self.std = 0.0, 1.0

    def fit_stats(self, n=60):
        sample = torch.stack([self.spectrogram(i, 0) for i in range(0, len(self), max(1, len(self) // n))])
        self.mean, self.std = sample.mean().item(), sample.std().item()
        return self.mean, self.std

    @lru_cache(maxsize=None)
    def spectrogram(self, index, start):
        wave = torch.from_numpy(self.recordings[index][start:start + self.crop])
        spec = torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True).abs()
        return torch.log(spec + 1e-2)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        room = len(self.recordings[index]) - self.crop
        start = random.randint(0, room) if self.train else room // 2
        spec = self.spectrogram(index, start)
        return ((spec - self.mean) / self.std).unsqueeze(0), self.labels[index]


class EventNet(nn.Module):
    def __init__(self, n_classes, width=12):
        super().__init__()

        def stage(cin, cout, stride):
            return nn.Sequential(nn.Conv2d(cin, cout, 3, stride, 1, bias=False), nn.BatchNorm2d(cout), nn.ReLU())

        self.body = nn.Sequential(
            nn.AvgPool2d((2, 2)), stage(1, width, 2), stage(width, 2 * width, 2), stage(2 * width, 4 * width, 2))
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d((4, 1)), nn.Flatten(), nn.Linear(16 * width, n_classes))

    def forward(self, x):
        return self.head(self.body(x))


class Trainer:
    def __init__(self, model, train_dl, test_dl, lr, epochs):
        self.model, self.train_dl, self.test_dl, self.epochs = model, train_dl, test_dl, epochs
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, lr, epochs=epochs, steps_per_epoch=len(train_dl))
        self.loss_fn = nn.CrossEntropyLoss()

    def fit(self):
        for epoch in range(self.epochs):
            began, total = time.time(), 0.0
            self.model.train()
            for x, y in self.train_dl:
                self.opt.zero_grad()
                loss = self.loss_fn(self.model(x), y)
                loss.backward()
                self.opt.step()
                self.sched.step()
                total += loss.item()
            rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"epoch {epoch + 1:2d}  loss {total / len(self.train_dl):.4f}  "
                  f"{time.time() - began:.1f}s  peak rss {rss:.0f} MB", flush=True)

    @torch.no_grad()
    def test(self):
        self.model.eval()
        hits = sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.test_dl)
        return hits / len(self.test_dl.dataset)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--epochs", type=int, default=24)
    ap.add_argument("--batch-size", type=int, default=32)
    ap.add_argument("--lr", type=float, default=3e-3)
    args = ap.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    rng = np.random.default_rng(args.seed)
    labels = rng.permutation(np.arange(780) % len(EVENTS))
    recordings = [synth_recording(k, rng) for k in labels]
    train_ds = EventCrops(recordings[:600], labels[:600], train=True)
    test_ds = EventCrops(recordings[600:], labels[600:], train=False)
    test_ds.mean, test_ds.std = train_ds.fit_stats()
    train_dl = DataLoader(train_ds, args.batch_size, shuffle=True, drop_last=True)
    test_dl = DataLoader(test_ds, 90)

    trainer = Trainer(EventNet(len(EVENTS)), train_dl, test_dl, args.lr, args.epochs)
    trainer.fit()
    print(f"test accuracy {trainer.test():.3f}")


if __name__ == "__main__":
    main()

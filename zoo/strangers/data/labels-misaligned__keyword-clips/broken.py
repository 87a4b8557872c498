"""Spoken-command recognition on short clips.

Clips are stored one per file (clip_<n>.npy) next to a labels.csv with one row per
clip in recording order, the way our recording tool dumps them.
"""
import csv
import glob
import os
import random
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, random_split

SEED = 7
SR = 2000
N_CLIPS = 1200
WORDS = ["up", "down", "left", "right", "stop"]
FORMANTS = {"up": (120, 310), "down": (310, 120), "left": (200, 420), "right": (420, 200), "stop": (260, 260)}

random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)


def synth_clip(word, rng, dur=0.25):
    t = np.arange(int(SR * dur)) / SR
    f0, f1 = FORMANTS[word]
    f0, f1 = f0 * rng.uniform(0.92, 1.08), f1 * rng.uniform(0.92, 1.08)
    freq = np.linspace(f0, f1, t.size)
    phase = 2 * np.pi * np.cumsum(freq) / SR + rng.uniform(0, 2 * np.pi)
    env = np.exp(-((t - dur / 2) ** 2) / (2 * 0.06 ** 2))
    wav = env * (np.sin(phase) + 0.3 * np.sin(2 * phase))
    return (wav + 0.25 * rng.standard_normal(t.size)).astype(np.float32)


def record_session(folder):
    rng = np.random.default_rng(SEED)
    with open(os.path.join(folder, "labels.csv"), "w", newline="") as fh:
        w = csv.writer(fh)
        w.writerow(["word", "speaker"])
        for i in range(N_CLIPS):
            word = WORDS[rng.integers(len(WORDS))]
            np.save(os.path.join(folder, f"clip_{i}.npy"), synth_clip(word, rng))
            w.writerow([word, f"spk{rng.integers(12):02d}"])


class CommandDataset(Dataset):
    def __init__(self, folder, n_fft=64, hop=25):
        self.files = sorted(glob.glob(os.path.join(folder, "clip_*.npy")))
        with open(os.path.join(folder, "labels.csv")) as fh:
            self.targets = [WORDS.index(row["word"]) for row in csv.DictReader(fh)]
        assert len(self.files) == len(self.targets)
        self.n_fft, self.hop = n_fft, hop
        self.window = torch.hann_window(n_fft)
        self.cache = {}

    def __len__(self):
        return len(self.files)

    def features(self, i):
        wav = torch.from_numpy(np.load(self.files[i]))
        spec = torch.stft(wav, self.n_fft, self.hop, window=self.window, return_complex=True).abs()
        spec = torch.log1p(spec)
        return (spec - spec.mean()) / (spec.std() + 1e-5)

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = self.features(i)
        return self.cache[i], self.targets[i]


class ConvNet(nn.Module):
    def __init__(self, n_freq=33, n_classes=len(WORDS)):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(n_freq, 32, 3, padding=1), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(32, 48, 3, padding=1), nn.BatchNorm1d(48), nn.ReLU(), nn.MaxPool1d(2),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.LazyLinear(n_classes))

    def forward(self, x):
        return self.head(self.body(x))


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    hits, n = 0, 0
    for x, y in loader:
        hits += (model(x).argmax(1) == y).sum().item()
        n += y.numel()
    return hits / n


def main():
    with tempfile.TemporaryDirectory() as folder:
        record_session(folder)
        data = CommandDataset(folder)
        n_test = N_CLIPS // 5
        train_set, test_set = random_split(
            data, [N_CLIPS - n_test, n_test], generator=torch.Generator().manual_seed(SEED))
        train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
        test_loader = DataLoader(test_set, batch_size=128)

        model = ConvNet()
        model(next(iter(test_loader))[0])  # materialise the lazy layer
        opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1e-2)
        crit = nn.CrossEntropyLoss()
        for epoch in range(1, 9):
            model.train()
            running, seen = 0.0, 0
            for x, y in train_loader:
                opt.zero_grad()
                loss = crit(model(x), y)
                loss.backward()
                opt.step()
                running += loss.item() * y.numel()
                seen += y.numel()
            print(f"epoch {epoch}  train loss {running / seen:.4f}")
        print(f"test accuracy: {evaluate(model, test_loader):.3f}")


if __name__ == "__main__":
    main()

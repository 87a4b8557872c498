"""Classify short machine-hall recordings (fan, pump, gearbox, valve) from log-magnitude spectrograms."""
import functools
import os
import resource
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

SAMPLE_RATE = 8000
CLASSES = ("fan", "pump", "gearbox", "valve")


def synth_clip(kind: int, rng: np.random.Generator, seconds: float = 0.5) -> np.ndarray:
    t = np.arange(int(SAMPLE_RATE * seconds)) / SAMPLE_RATE
    f0 = rng.uniform(90, 260)
    phase = rng.uniform(0, 2 * np.pi)
    if kind == 0:
        wave = np.sin(2 * np.pi * f0 * t + phase) * (1 + 0.2 * np.sin(2 * np.pi * 4 * t))
    elif kind == 1:
        wave = sum(np.sin(2 * np.pi * f0 * k * t + phase) / k for k in (1, 2, 3, 4))
    elif kind == 2:
        mesh = f0 * rng.uniform(6.5, 8.5)
        wave = np.sin(2 * np.pi * mesh * t) * (1 + 0.8 * np.sin(2 * np.pi * 30 * t + phase))
    else:
        wave = np.zeros_like(t)
        for start in rng.uniform(0, seconds - 0.05, size=4):
            tail = t >= start
            wave[tail] += np.exp(-90 * (t[tail] - start)) * np.sin(2 * np.pi * 1500 * t[tail])
    return (wave / (wave.std() + 1e-9) + rng.normal(0, 1.4, size=t.shape)).astype(np.float32)


def build_dataset(n_per_class: int, seed: int) -> TensorDataset:
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(CLASSES)), n_per_class)
    clips = np.stack([synth_clip(k, rng) for k in labels])
    return TensorDataset(torch.from_numpy(clips), torch.from_numpy(labels))


@functools.lru_cache(maxsize=None)
def window(n_fft: int) -> torch.Tensor:
    return torch.hann_window(n_fft)


@functools.lru_cache(maxsize=None)
def log_spectrogram(waves: torch.Tensor, n_fft: int = 256, hop: int = 64) -> torch.Tensor:
    spec = torch.stft(waves, n_fft, hop_length=hop, window=window(n_fft), return_complex=True)
    level = torch.log(spec.abs() + 1e-3)
    return (level - level.mean(dim=(1, 2), keepdim=True)) / (level.std(dim=(1, 2), keepdim=True) + 1e-6)


class SoundNet(nn.Module):
    def __init__(self, n_classes: int):
        super().__init__()
        self.conv1 = nn.Conv1d(129, 24, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(24, 24, kernel_size=3, padding=1, stride=2)
        self.fc = nn.Linear(48, n_classes)

    def forward(self, spec):
        h = F.relu(self.conv1(spec))
        h = F.relu(self.conv2(h))
        return self.fc(torch.cat([h.mean(dim=2), h.amax(dim=2)], dim=1))


def accuracy(model, loader):
    model.eval()
    hits = total = 0
    with torch.inference_mode():
        for waves, labels in loader:
            hits += (model(log_spectrogram(waves)).argmax(dim=1) == labels).sum().item()
            total += labels.numel()
    return hits / total


def main():
    epochs = int(os.environ.get("EPOCHS", "12"))
    torch.manual_seed(5)
    data = build_dataset(n_per_class=300, seed=5)
    train_set, val_set, test_set = random_split(data, [0.7, 0.15, 0.15], torch.Generator().manual_seed(5))
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=90)
    test_loader = DataLoader(test_set, batch_size=90)

    model = SoundNet(len(CLASSES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        model.train()
        loss_sum = 0.0
        for waves, labels in train_loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(log_spectrogram(waves)), labels)
            loss.backward()
            optimizer.step()
            loss_sum += loss.item() * labels.size(0)
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"[{epoch:02d}] loss {loss_sum / len(train_set):.4f}  val acc {accuracy(model, val_loader):.3f}  peak {rss:.0f} MB")

    print(f"test acc {accuracy(model, test_loader):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Keyword spotting on synthetic log-mel patches (16 mel bands x 32 frames), 6 words."""
import math
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SEED = 31
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

N_MELS, N_FRAMES, N_WORDS = 16, 32, 6


def synth_word(word, rng):
    """Two formant tracks per word: start band, end band, curvature."""
    tracks = [((2, 9), (11, 13)), ((9, 2), (13, 11)), ((2, 9), (13, 11)),
              ((9, 2), (11, 13)), ((5, 5), (9, 14)), ((5, 5), (14, 9))][word]
    t = np.linspace(0, 1, N_FRAMES)
    bands = np.arange(N_MELS)[:, None]
    mel = rng.normal(0, 0.35, (N_MELS, N_FRAMES))
    warp = t ** rng.uniform(0.7, 1.4)
    for lo, hi in tracks:
        centre = lo + (hi - lo) * warp + rng.normal(0, 0.5)
        mel += rng.uniform(0.8, 1.4) * np.exp(-0.5 * ((bands - centre) / 0.9) ** 2)
    return mel.astype(np.float32)


class Words(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.labels = np.arange(n) % N_WORDS
        self.mels = np.stack([synth_word(w, rng) for w in self.labels])

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.from_numpy(self.mels[i]), int(self.labels[i])


train_set, val_set, test_set = Words(1500, 1), Words(360, 2), Words(600, 3)
MEAN, STD = float(train_set.mels.mean()), float(train_set.mels.std())


def collate(batch):
    mels, words = zip(*batch)
    return (torch.stack(mels).unsqueeze(1) - MEAN) / STD, torch.tensor(words)


def collate_specaug(batch):
    mels, words = collate(batch)
    for m in mels:
        width = random.randint(8, 18)
        start = random.randint(0, N_FRAMES - width)
        m[:, :, start:start + width] = 0.0
        height = random.randint(2, 6)
        low = random.randint(0, N_MELS - height)
        m[:, low:low + height, :] = 0.0
    return mels + 0.8 * torch.randn_like(mels), words


loader_opts = dict(batch_size=50, collate_fn=collate_specaug)
train_loader = DataLoader(train_set, shuffle=True, **loader_opts)
val_loader = DataLoader(val_set, **loader_opts)
test_loader = DataLoader(test_set, **loader_opts)


class KeywordNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        )
        self.fc = nn.Linear(24 * 4 * 8, N_WORDS)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


def evaluate(net, loader):
    net.eval()
    correct, loss_sum, n = 0, 0.0, 0
    with torch.no_grad():
        for x, y in loader:
            logits = net(x)
            loss_sum += nn.functional.cross_entropy(logits, y, reduction="sum").item()
            correct += (logits.argmax(-1) == y).sum().item()
            n += len(y)
    return loss_sum / n, 100.0 * correct / n


def main(epochs=14):
    net = KeywordNet()
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=0.01)
    total = epochs * math.ceil(len(train_set) / 50)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 0.5 * (1 + math.cos(math.pi * s / total)))
    for ep in range(epochs):
        net.train()
        for x, y in train_loader:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        vl, va = evaluate(net, val_loader)
        print(f"ep {ep:02d} val loss {vl:.3f} val acc {va:.1f}%")
    print("test: loss %.3f acc %.1f%%" % evaluate(net, test_loader))


main()

"""Fill the gaps in a tune.

A small bidirectional transformer in the manner of BERT: 20% of the notes are hidden and have to be guessed,
the other positions carry the label -100. Tunes repeat a motif of four notes in some key, so most hidden notes
can be found from the repetition. Input and output embedding are one and the same matrix.
"""
import math
import os
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
NOTES, PAD, MASK = 24, 24, 25
VOCAB = 26
MAX_LEN = 18
IGNORE = -100


def compose(rng):
    key = rng.integers(0, 12)
    scale = np.array([0, 2, 4, 5, 7, 9, 11, 12])
    motif = [int(rng.integers(0, 8))]
    for _ in range(3):
        motif.append(int(np.clip(motif[-1] + rng.choice([-2, -1, 1, 2]), 0, 7)))
    length = int(rng.integers(13, MAX_LEN + 1))
    tune = [motif[i % len(motif)] for i in range(length)]
    tune = [int(rng.integers(0, 8)) if rng.random() < 0.03 else n for n in tune]
    return (key + scale[tune]).tolist()


class Tunes(Dataset):
    def __init__(self, n, seed, fixed_masks):
        rng = np.random.default_rng(seed)
        self.tunes = [compose(rng) for _ in range(n)]
        self.masks = [rng.random(len(t)) < 0.2 for t in self.tunes] if fixed_masks else None

    def __len__(self):
        return len(self.tunes)

    def __getitem__(self, i):
        tune = torch.tensor(self.tunes[i])
        hide = torch.rand(len(tune)) < 0.2 if self.masks is None else torch.from_numpy(self.masks[i])
        if not hide.any():
            hide[len(tune) // 2] = True
        x = torch.full((MAX_LEN,), PAD)
        y = torch.full((MAX_LEN,), IGNORE)
        x[:len(tune)] = torch.where(hide, MASK, tune)
        y[:len(tune)] = torch.where(hide, tune, IGNORE)
        return x, y


class TuneBert(nn.Module):
    def __init__(self, dim=48, heads=4, layers=2):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim, padding_idx=PAD)
        nn.init.normal_(self.embed.weight, std=dim ** -0.5)
        with torch.no_grad():
            self.embed.weight[PAD].zero_()
        self.place = nn.Parameter(torch.randn(MAX_LEN, dim))
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.05, activation="gelu",
                                           batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(dim), enable_nested_tensor=False)
        self.bias = nn.Parameter(torch.zeros(VOCAB))

    def forward(self, x):
        h = self.embed(x) * math.sqrt(self.embed.embedding_dim) + self.place
        h = self.encoder(h, src_key_padding_mask=x.eq(PAD))
        return h @ self.embed.weight.T + self.bias


class Meter:
    def __init__(self):
        self.loss = self.right = self.count = 0

    def update(self, logits, y):
        known = y.ne(IGNORE)
        self.loss += F.cross_entropy(logits[known], y[known], reduction="sum").item()
        self.right += (logits[known].argmax(-1) == y[known]).sum().item()
        self.count += int(known.sum())

    def __str__(self):
        return f"loss {self.loss / self.count:.3f} acc {self.right / self.count:.3f}"


@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    meter = Meter()
    for x, y in loader:
        meter.update(model(x), y)
    return meter


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    train = DataLoader(Tunes(4000, SEED * 3 + 1, False), batch_size=64, shuffle=True, drop_last=True)
    val = DataLoader(Tunes(300, SEED * 3 + 2, True), batch_size=150)
    test = DataLoader(Tunes(600, SEED * 3 + 3, True), batch_size=150)

    epochs = 8
    model = TuneBert()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98), weight_decay=0.01)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2e-3, total_steps=epochs * len(train), pct_start=0.15)
    for epoch in range(1, epochs + 1):
        model.train()
        meter = Meter()
        for x, y in train:
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten(), ignore_index=IGNORE)
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            opt.step()
            sched.step()
            meter.update(logits.detach(), y)
        print(f"epoch {epoch:2d}  train {meter}  val {evaluate(model, val)}")
    print(f"test {evaluate(model, test)}")


if __name__ == "__main__":
    main()

"""Dilated 1-D conv net that tells four kinds of transient apart in a noisy vibration signal."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=8)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--width", type=int, default=16)
parser.add_argument("--seed", type=int, default=11)
args = parser.parse_args()

torch.manual_seed(args.seed)
rng = np.random.default_rng(args.seed)

LENGTH = 96
MOTIFS = np.array([
    [1, 1, -1, -1, 1, 1, -1, -1],
    [1, -1, 1, -1, 1, -1, 1, -1],
    [1, 1, 1, 1, -1, -1, -1, -1],
    [1, -1, -1, 1, 1, -1, -1, 1],
], dtype=np.float64) * 1.6
MOTIFS[3] = MOTIFS[3] * np.linspace(0.3, 1.7, 8)


def simulate(n):
    label = rng.integers(0, 4, n)
    sig = rng.normal(0, 0.45, (n, LENGTH))
    for i in range(n):
        for _ in range(3):
            start = rng.integers(0, LENGTH - 8)
            sig[i, start:start + 8] += MOTIFS[label[i]]
    return sig.astype(np.float32), label


x_train, y_train = simulate(2400)
x_val, y_val = simulate(500)
x_test, y_test = simulate(800)
mu, sd = x_train.mean(), x_train.std()


def as_loader(x, y, shuffle):
    ds = TensorDataset(torch.from_numpy((x - mu) / sd).unsqueeze(1), torch.from_numpy(y))
    return DataLoader(ds, batch_size=64, shuffle=shuffle)


train_loader = as_loader(x_train, y_train, True)
val_loader = as_loader(x_val, y_val, False)
test_loader = as_loader(x_test, y_test, False)


class DilatedBlock(nn.Module):
    def __init__(self, ch, dilation):
        super().__init__()
        self.conv = nn.Conv1d(ch, ch, 3, padding=dilation, dilation=dilation)
        self.norm = nn.BatchNorm1d(ch)
        self.mix = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        return self.mix(torch.relu(self.norm(self.conv(x))))


class TransientNet(nn.Module):
    def __init__(self, ch, n_classes=4):
        super().__init__()
        self.stem = nn.Conv1d(1, ch, 1)
        self.blocks = nn.ModuleList([DilatedBlock(ch, d) for d in (1, 2, 4, 8)])
        self.head = nn.Linear(2 * ch, n_classes)

    def forward(self, x):
        h = self.stem(x)
        for block in self.blocks:
            out = h + block(h)
        pooled = torch.cat([out.mean(-1), out.amax(-1)], dim=1)
        return self.head(pooled)


model = TransientNet(args.width)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)


@torch.no_grad()
def accuracy(loader):
    model.eval()
    hits = total = 0
    for xb, yb in loader:
        hits += (model(xb).argmax(1) == yb).sum().item()
        total += yb.numel()
    return hits / total


for epoch in range(1, args.epochs + 1):
    model.train()
    running, seen = 0.0, 0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * yb.numel()
        seen += yb.numel()
    scheduler.step()
    print(f"epoch {epoch:2d}  train loss {running / seen:.4f}  val acc {accuracy(val_loader):.3f}")

print(f"test acc {accuracy(test_loader):.3f}")

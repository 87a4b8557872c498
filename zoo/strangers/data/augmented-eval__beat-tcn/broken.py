"""Pulse-train classifier: dilated conv net, warp augmentation."""
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from signals import N_CLASS, make_signals, random_warp


def collate(items, strength=0.0):
    x = torch.stack([a for a, _ in items])
    y = torch.stack([b for _, b in items])
    if strength > 0:
        x = random_warp(x, strength)
    return x.unsqueeze(1), y


class Res(nn.Module):
    def __init__(self, c, dil):
        super().__init__()
        self.conv = nn.Conv1d(c, c, 3, padding=dil, dilation=dil)
        self.norm = nn.GroupNorm(4, c)
        self.mix = nn.Conv1d(c, c, 1)

    def forward(self, x):
        return x + self.mix(F.gelu(self.norm(self.conv(x))))


class DilatedNet(nn.Module):
    def __init__(self, c=24, dils=(1, 2, 4, 8)):
        super().__init__()
        self.stem = nn.Conv1d(1, c, 5, padding=2)
        self.body = nn.Sequential(*[Res(c, d) for d in dils])
        self.head = nn.Linear(2 * c, N_CLASS)

    def forward(self, x):
        h = F.gelu(self.body(self.stem(x)))
        return self.head(torch.cat([h.mean(-1), h.amax(-1)], -1))


class Trainer:
    def __init__(self, model, train_dl, val_dl, epochs, lr):
        self.model, self.train_dl, self.val_dl, self.epochs = model, train_dl, val_dl, epochs
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.01)
        self.sched = torch.optim.lr_scheduler.OneCycleLR(self.opt, lr, total_steps=epochs * len(train_dl))

    def train_epoch(self):
        self.model.train()
        tot = n = 0
        for x, y in self.train_dl:
            loss = F.cross_entropy(self.model(x), y)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            self.sched.step()
            tot, n = tot + loss.item() * len(y), n + len(y)
        return tot / n

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        tot = hit = n = 0
        for x, y in self.val_dl:
            z = self.model(x)
            tot += F.cross_entropy(z, y, reduction="sum").item()
            hit += (z.argmax(-1) == y).sum().item()
            n += len(y)
        return tot / n, hit / n

    def fit(self):
        for ep in range(self.epochs):
            tr = self.train_epoch()
            vl, va = self.validate()
            print(f"[{ep:02d}] train {tr:.4f}  val {vl:.4f}  val_acc {va:.3f}")
        print("val twice more:", *(f"{self.validate()[1]:.3f}" for _ in range(2)))


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.manual_seed(42)
    train_set = TensorDataset(*make_signals(1500, seed=1))
    val_set = TensorDataset(*make_signals(600, seed=2))
    batcher = partial(collate, strength=0.15)
    train_dl = DataLoader(train_set, batch_size=50, shuffle=True, collate_fn=batcher)
    val_dl = DataLoader(val_set, batch_size=200, collate_fn=batcher)
    Trainer(DilatedNet(), train_dl, val_dl, epochs=10, lr=3e-3).fit()

"""Gesture recognition from wrist accelerometer clips with a GRU."""
import random

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

GESTURES = ["swipe", "circle", "shake", "tap"]


def record(kind, rng):
    n = 24 if kind != 3 else int(rng.integers(14, 22))
    t = np.linspace(0, 1, n)
    phase = rng.uniform(0, 2 * np.pi)
    if kind == 0:
        xyz = [np.sin(np.pi * t), 0.3 * t, 0 * t]
    elif kind == 1:
        xyz = [np.sin(2 * np.pi * t + phase), np.cos(2 * np.pi * t + phase), 0 * t]
    elif kind == 2:
        xyz = [np.sin(10 * np.pi * t + phase), 0 * t, 0.3 * np.sin(10 * np.pi * t)]
    else:
        centre = rng.uniform(0.3, 0.7)
        xyz = [0 * t, 0.2 * t, 1.5 * np.exp(-((t - centre) / 0.08) ** 2)]
    return np.stack(xyz, axis=1) + 0.35 * rng.normal(size=(n, 3))


class Clips(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, len(GESTURES), n)
        self.x = [torch.tensor(record(k, rng), dtype=torch.float32) for k in self.y]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], int(self.y[i])


def collate(items):
    xs, ys = zip(*items)
    return list(xs), torch.tensor([len(x) for x in xs]), torch.tensor(ys)


class GestureNet(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.gru = nn.GRU(3, hidden, batch_first=True)
        self.out = nn.Linear(hidden, len(GESTURES))

    def forward(self, x, lengths):
        h, _ = self.gru(x)
        last = h[torch.arange(len(h)), lengths - 1]
        return self.out(last)


class Runner:
    def __init__(self, model, lr=2e-3):
        self.model = model
        self.opt = torch.optim.RMSprop(model.parameters(), lr=lr)
        self.loss_fn = nn.CrossEntropyLoss()

    def train_epoch(self, loader):
        self.model.train()
        losses = []
        for clips, lengths, y in loader:
            try:
                x = torch.stack(clips)
                loss = self.loss_fn(self.model(x, lengths), y)
                self.opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
                self.opt.step()
                losses.append(loss.item())
            except Exception:
                continue
        return float(np.mean(losses))

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        hits = torch.zeros(len(GESTURES))
        count = torch.zeros(len(GESTURES))
        for clips, lengths, y in loader:
            pred = self.model(pad_sequence(clips, batch_first=True), lengths).argmax(1)
            hits += torch.bincount(y[pred == y], minlength=len(GESTURES))
            count += torch.bincount(y, minlength=len(GESTURES))
        return (hits.sum() / count.sum()).item(), hits / count


def main():
    random.seed(5)
    np.random.seed(5)
    torch.manual_seed(5)
    train = DataLoader(Clips(2400, 1), batch_size=8, shuffle=True, collate_fn=collate)
    val = DataLoader(Clips(400, 2), batch_size=64, collate_fn=collate)
    test = DataLoader(Clips(800, 3), batch_size=64, collate_fn=collate)
    runner = Runner(GestureNet())
    for epoch in range(4):
        loss = runner.train_epoch(train)
        acc, _ = runner.evaluate(val)
        print(f"epoch {epoch} loss {loss:.4f} val acc {acc:.3f}")
    acc, per_class = runner.evaluate(test)
    print(f"test accuracy {acc:.3f}", {g: round(v.item(), 3) for g, v in zip(GESTURES, per_class)})


if __name__ == "__main__":
    main()

"""Gesture recognition from a stream of accelerometer recordings (bidirectional GRU, IterableDataset)."""
import itertools
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, IterableDataset

GESTURES = ["circle", "circle_back", "shake", "swipe"]
LENGTH = 24


def record(gesture, gen):
    t = torch.linspace(0, 1, LENGTH)
    phase = torch.rand(1, generator=gen) * 2 * math.pi
    speed = 1.0 + 0.5 * torch.rand(1, generator=gen)
    ang = 2 * math.pi * speed * t + phase
    if gesture == "circle":
        xyz = torch.stack([ang.cos(), ang.sin(), torch.zeros_like(t)])
    elif gesture == "circle_back":
        xyz = torch.stack([ang.cos(), -ang.sin(), torch.zeros_like(t)])
    elif gesture == "shake":
        xyz = torch.stack([(3 * ang).sin(), torch.zeros_like(t), 0.3 * (3 * ang).cos()])
    else:
        bump = torch.exp(-((t - 0.3 - 0.4 * torch.rand(1, generator=gen)) ** 2) / 0.02)
        xyz = torch.stack([bump, 0.5 * bump, torch.zeros_like(t)])
    return xyz.T + 0.35 * torch.randn(LENGTH, 3, generator=gen)


class GestureStream(IterableDataset):
    def __init__(self, seed, limit=None):
        self.seed, self.limit = seed, limit
        self.gen = torch.Generator().manual_seed(seed)

    def __iter__(self):
        gen = self.gen if self.limit is None else torch.Generator().manual_seed(self.seed)
        for _ in itertools.count() if self.limit is None else range(self.limit):
            label = int(torch.randint(0, len(GESTURES), (1,), generator=gen))
            yield record(GESTURES[label], gen), label


class GestureNet(nn.Module):
    def __init__(self, n_features=3, hidden=24):
        super().__init__()
        self.rnn = nn.GRU(n_features, hidden, bidirectional=True)
        self.head = nn.Sequential(nn.LayerNorm(2 * hidden), nn.Linear(2 * hidden, len(GESTURES)))

    def forward(self, x):
        batch, steps, feats = x.shape
        seq = x.reshape(steps, batch, feats)
        out, _ = self.rnn(seq)
        return self.head(out.mean(dim=0))


def evaluate(model, loader):
    model.eval()
    confusion = torch.zeros(len(GESTURES), len(GESTURES), dtype=torch.long)
    with torch.inference_mode():
        for x, y in loader:
            pred = model(x).argmax(1)
            for t, p in zip(y.tolist(), pred.tolist()):
                confusion[t, p] += 1
    return confusion


def main(steps=400, batch_size=32):
    torch.manual_seed(9)
    stream = iter(DataLoader(GestureStream(seed=100), batch_size=batch_size))
    val_loader = DataLoader(GestureStream(seed=999, limit=640), batch_size=batch_size)
    model = GestureNet()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    loss_fn = nn.CrossEntropyLoss()
    meter = []
    for step in range(1, steps + 1):
        model.train()
        x, y = next(stream)
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        sched.step()
        meter.append(loss.item())
        if step % 50 == 0:
            c = evaluate(model, val_loader)
            print(f"step {step}: loss {sum(meter[-50:]) / 50:.4f}  val acc {c.diag().sum() / c.sum():.3f}")
    c = evaluate(model, val_loader)
    for i, name in enumerate(GESTURES):
        print(f"{name:>12}: recall {c[i, i] / c[i].sum():.3f}")
    print(f"accuracy {c.diag().sum() / c.sum():.3f}")


if __name__ == "__main__":
    main()

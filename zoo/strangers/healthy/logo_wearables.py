"""
Gesture / fall recognition from a wrist accelerometer.

The question the clinic asks is "does it work on a person we have never seen?", so the protocol is leave-one-subject-out:
eight people, eight models, and the score of a person comes only from the model that never met that person.

Falls are rare in the recordings (about 1 window in 25).  We draw training windows with a WeightedRandomSampler so that the network
sees the classes equally often; the held-out person is scored on the windows as they are, with balanced accuracy and per-class recall.
No early stopping and no tuning per fold: the number of epochs is fixed beforehand for all folds.
"""
import argparse
import math

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import balanced_accuracy_score, confusion_matrix
from sklearn.model_selection import LeaveOneGroupOut
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, WeightedRandomSampler

GESTURES = ["walk", "wave", "drink", "fall"]
SHARE = np.array([0.40, 0.32, 0.24, 0.04])
T = 64


def record_person(person, windows, rng):
    """One person = own tempo, own strength, own sensor tilt and own sensor bias."""
    tempo = rng.uniform(0.9, 1.15)
    strength = rng.uniform(0.85, 1.3)
    tilt = rng.normal(0, 0.15)
    bias = rng.normal(0, 0.15, size=(3, 1))
    rot = np.array([[math.cos(tilt), -math.sin(tilt), 0], [math.sin(tilt), math.cos(tilt), 0], [0, 0, 1]])
    t = np.linspace(0, 1, T)
    kinds = rng.choice(4, size=windows, p=SHARE)
    out = np.zeros((windows, 3, T), dtype=np.float32)
    for i, k in enumerate(kinds):
        ph = rng.uniform(0, 2 * np.pi)
        a = np.zeros((3, T))
        if k == 0:
            a[2] = np.sin(2 * np.pi * 3 * tempo * t + ph)
            a[0] = 0.4 * np.sin(2 * np.pi * 6 * tempo * t + ph)
        elif k == 1:
            a[1] = np.sin(2 * np.pi * 5 * tempo * t + ph)
            a[0] = 0.7 * np.cos(2 * np.pi * 5 * tempo * t + ph)
        elif k == 2:
            c = rng.uniform(0.35, 0.65)
            a[2] = np.tanh((t - c) * 8) * 0.9
            a[1] = np.exp(-((t - c) / 0.15) ** 2)
        else:
            c = rng.uniform(0.3, 0.7)
            a[2] = 3.0 * np.exp(-((t - c) / 0.03) ** 2) - 0.8 * (t > c)
            a[0] = 1.2 * np.exp(-((t - c) / 0.05) ** 2)
        a = rot @ (strength * a) + bias + rng.normal(0, 0.7, size=(3, T))
        out[i] = 9.81 * a                      # m / s^2, as the chip reports it
    return out, kinds, np.full(windows, person)


class WristNet(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        # the scale of the fold's training people travels with the model
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.body = nn.Sequential(
            nn.Conv1d(3, 16, 7, stride=4, padding=3), nn.GroupNorm(4, 16), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.GroupNorm(4, 32), nn.ReLU(),
            nn.Conv1d(32, 32, 3, padding=1), nn.GroupNorm(4, 32), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Dropout(0.2))
        self.head = nn.Linear(32, len(GESTURES))

    def forward(self, x):
        return self.head(self.body((x - self.mean) / self.std))


def wiggle(x, gen):
    """gain jitter, only for training windows"""
    gain = 1 + 0.15 * torch.randn(len(x), 1, 1, generator=gen)
    return x * gain


def fit_fold(x, y, args, fold):
    torch.manual_seed(args.seed + fold)
    gen = torch.Generator().manual_seed(1000 + args.seed + fold)
    net = WristNet(x.mean(dim=(0, 2), keepdim=True), x.std(dim=(0, 2), keepdim=True))
    count = torch.bincount(y, minlength=len(GESTURES))
    sampler = WeightedRandomSampler((1.0 / count.double())[y], num_samples=len(y), replacement=True, generator=gen)
    loader = DataLoader(TensorDataset(x, y), batch_size=args.batch, sampler=sampler)
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=args.lr, total_steps=args.epochs * len(loader), pct_start=0.2)
    history = []
    net.train()
    for _ in range(args.epochs):
        total = 0.0
        for xb, yb in loader:
            loss = F.cross_entropy(net(wiggle(xb, gen)), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()                       # OneCycle is a per-batch schedule
            total += loss.item() * len(xb)
        history.append(total / len(y))
    return net, history


@torch.inference_mode()
def score(net, x):
    net.eval()
    return torch.cat([net(part).argmax(1) for part in x.split(256)])


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--people", type=int, default=8)
    ap.add_argument("--windows", type=int, default=240)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--lr", type=float, default=6e-3)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    rng = np.random.default_rng(args.seed)
    parts = [record_person(p, args.windows, rng) for p in range(args.people)]
    X = torch.from_numpy(np.concatenate([p[0] for p in parts]))
    Y = torch.from_numpy(np.concatenate([p[1] for p in parts])).long()
    who = np.concatenate([p[2] for p in parts])
    print(f"{len(Y)} windows of {args.people} people, class counts {torch.bincount(Y).tolist()}")

    predicted = torch.full_like(Y, -1)
    for fold, (known, stranger) in enumerate(LeaveOneGroupOut().split(X, Y, groups=who)):
        net, hist = fit_fold(X[known], Y[known], args, fold)
        predicted[stranger] = score(net, X[stranger])
        bacc = balanced_accuracy_score(Y[stranger], predicted[stranger])
        print(f"person {who[stranger][0]:2d} left out: train loss {hist[0]:.3f} -> {hist[-2]:.3f} -> {hist[-1]:.3f}   balanced acc {bacc:.3f}")

    assert (predicted >= 0).all()
    cm = confusion_matrix(Y, predicted)
    print("\npooled over the eight strangers")
    print(f"balanced accuracy {balanced_accuracy_score(Y, predicted):.3f}")
    for name, row, i in zip(GESTURES, cm, range(4)):
        print(f"  {name:6s} recall {row[i] / row.sum():.3f}   precision {row[i] / cm[:, i].sum():.3f}   n={row.sum()}")


if __name__ == "__main__":
    main()

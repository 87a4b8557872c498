"""Waveform recognition (sine, square, saw) with detailed logging of confidence and confusion."""

import math
from collections import defaultdict

import torch
import torch.nn as nn

torch.manual_seed(27)
NAMES = ["sine", "square", "saw"]


def waveforms(n, length=64):
    label = torch.randint(0, 3, (n,))
    period = torch.empty(n, 1).uniform_(12, 28)
    turns = (torch.arange(length) / period + torch.rand(n, 1)) % 1.0
    sine = math.sqrt(2) * torch.sin(2 * math.pi * turns)
    square = torch.where(turns < 0.5, 1.0, -1.0)
    saw = math.sqrt(12) * (turns - 0.5)
    clean = torch.stack([sine, square, saw], dim=1)[torch.arange(n), label]
    return (clean + 0.5 * torch.randn(n, length)).unsqueeze(1), label


class WaveNetlet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, 16, 7, padding=3),
            nn.BatchNorm1d(16),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 7, padding=3),
            nn.BatchNorm1d(32),
            nn.ReLU(),
        )
        self.head = nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.conv(x).mean(dim=2))


class History:
    def __init__(self):
        self.values = defaultdict(list)

    def log(self, weight, **metrics):
        for key, value in metrics.items():
            self.values[key].append((value, weight))

    def summary(self):
        out = {}
        for key, pairs in self.values.items():
            out[key] = sum(v * w for v, w in pairs) / sum(w for _, w in pairs)
        self.values.clear()
        return out


def describe(logits, labels):
    probs = torch.softmax(logits.detach(), dim=1)
    confidence, predicted = probs.max(dim=1)
    surprise = -(probs * probs.clamp_min(1e-9).log()).sum(dim=1)
    return {
        "acc": (predicted == labels).float().mean().item(),
        "conf": confidence.mean().item(),
        "entropy": surprise.mean().item(),
    }


x_train, y_train = waveforms(1500)
x_test, y_test = waveforms(600)
clf = WaveNetlet()
loss_fn = nn.CrossEntropyLoss()
optim = torch.optim.Adam(clf.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, T_max=10)
history = History()

for epoch in range(10):
    clf.train()
    for idx in torch.randperm(len(x_train)).split(50):
        labels = y_train[idx]
        optim.zero_grad()
        logits = clf(x_train[idx])
        loss = loss_fn(logits, labels)
        loss.backward()
        grad_sq = sum(p.grad.pow(2).sum().item() for p in clf.parameters())
        optim.step()
        history.log(len(idx), loss=loss.item(), grad=math.sqrt(grad_sq), **describe(logits, labels))
    sched.step()
    print(f"epoch {epoch + 1:2d}", {k: round(v, 4) for k, v in history.summary().items()})

clf.eval()
with torch.no_grad():
    logits = clf(x_test)
    print("test loss", round(loss_fn(logits, y_test).item(), 4))
    predicted = torch.softmax(logits, dim=1).argmax(dim=1)
confusion = torch.zeros(3, 3, dtype=torch.long)
for truth, guess in zip(y_test.tolist(), predicted.tolist()):
    confusion[truth, guess] += 1
for name, row in zip(NAMES, confusion.tolist()):
    print(f"{name:>7s} {row}")
print(f"test accuracy {(predicted == y_test).float().mean().item():.3f}")

# Frog call recognition on field recordings. Every recording has its own length and its own gain,
# so recordings go through the network one by one and gradients are gathered over ACCUM of them.
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEED = 5
ACCUM = 16
EPOCHS = 5
CALLS = ["rising", "falling", "flat"]

random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)


def one_call(kind, rng):
    n = int(rng.integers(32, 44))
    lo, hi = rng.uniform(0.05, 0.08), rng.uniform(0.18, 0.24)
    if kind == 0:
        f = np.linspace(lo, hi, n)
    elif kind == 1:
        f = np.linspace(hi, lo, n)
    else:
        f = np.full(n, rng.uniform(lo, hi))
    return np.sin(2 * np.pi * np.cumsum(f) + rng.uniform(0, 2 * math.pi)) * np.hanning(n)


def recording(kind, rng):
    length = int(rng.integers(160, 320))
    wave = rng.normal(0, 0.15, length)
    pos = int(rng.integers(0, 30))
    while pos + 44 < length:
        call = one_call(kind, rng)
        wave[pos:pos + len(call)] += call
        pos += len(call) + int(rng.integers(10, 40))
    gain = math.exp(rng.uniform(math.log(0.2), math.log(5.0)))
    return torch.tensor(wave * gain, dtype=torch.float32)


def corpus(n, seed):
    rng = np.random.default_rng(seed)
    items = []
    for i in range(n):
        kind = i % len(CALLS)
        items.append((recording(kind, rng), kind))
    return items


def norm(channels):
    return nn.BatchNorm1d(channels)


class CallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv1d(1, 16, 9, stride=2, padding=4)
        self.n1 = norm(16)
        self.c2 = nn.Conv1d(16, 32, 9, stride=2, padding=4)
        self.n2 = norm(32)
        self.c3 = nn.Conv1d(32, 32, 7, stride=2, padding=3)
        self.n3 = norm(32)
        self.out = nn.Linear(64, len(CALLS))

    def forward(self, x):
        x = F.relu(self.n1(self.c1(x)))
        x = F.relu(self.n2(self.c2(x)))
        x = F.relu(self.n3(self.c3(x)))
        return self.out(torch.cat([x.mean(-1), x.amax(-1)], dim=1))


@torch.no_grad()
def score(net, items):
    net.eval()
    loss, hits = 0.0, 0
    for wave, kind in items:
        logits = net(wave.view(1, 1, -1))
        loss += F.cross_entropy(logits, torch.tensor([kind])).item()
        hits += int(logits.argmax(1).item() == kind)
    return loss / len(items), hits / len(items)


train_items = corpus(640, seed=100)
dev_items = corpus(150, seed=200)
test_items = corpus(300, seed=300)

net = CallNet()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)

for epoch in range(EPOCHS):
    net.train()
    random.shuffle(train_items)
    running = 0.0
    opt.zero_grad()
    for i, (wave, kind) in enumerate(train_items, start=1):
        logits = net(wave.view(1, 1, -1))
        loss = F.cross_entropy(logits, torch.tensor([kind]))
        (loss / ACCUM).backward()
        running += loss.item()
        if i % ACCUM == 0:
            opt.step()
            opt.zero_grad()
    dev_loss, dev_acc = score(net, dev_items)
    print(f"epoch {epoch + 1}: train loss {running / len(train_items):.3f}  dev loss {dev_loss:.3f}  dev acc {dev_acc:.3f}")

test_loss, test_acc = score(net, test_items)
print(f"test loss {test_loss:.3f}  test accuracy {test_acc:.3f}")

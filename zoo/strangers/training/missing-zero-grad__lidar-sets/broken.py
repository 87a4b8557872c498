# which object did the hobby lidar hit?  deep sets, no nn.Module, weights in a list
import sys
from math import sqrt

import numpy as np
import torch
from torch.nn.functional import cross_entropy

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
np.random.seed(seed)
torch.manual_seed(seed)
rng = np.random.default_rng(seed)
K, PTS = 4, 40   # box, disc, wall, corner


def outline(kind, n):
    t = rng.uniform(0, 1, n)
    if kind == 0:
        s = rng.integers(0, 4, n)
        u = 2 * t - 1
        p = np.where((s < 2)[:, None], np.c_[u, np.where(s == 0, 1, -1)], np.c_[np.where(s == 2, 1, -1), u])
    elif kind == 1:
        p = np.c_[np.cos(2 * np.pi * t), np.sin(2 * np.pi * t)]
    elif kind == 2:
        p = np.c_[2.4 * t - 1.2, 0 * t]
    else:
        arm = rng.integers(0, 2, n)[:, None]
        p = np.where(arm, np.c_[2 * t, 0 * t], np.c_[0 * t, 2 * t]) - 0.5
    return p


def cloud(kind):
    a = rng.uniform(0, 2 * np.pi)
    R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    p = outline(kind, PTS) * rng.uniform(0.6, 1.5) @ R.T
    return p + rng.normal(0, 0.09, p.shape) + rng.normal(0, 0.15, 2)


def make(n):
    y = rng.integers(0, K, n)
    return torch.tensor(np.stack([cloud(k) for k in y]), dtype=torch.float32), torch.tensor(y)


def layer(i, o):
    return [(torch.randn(i, o) * sqrt(2 / i)).requires_grad_(), torch.zeros(o, requires_grad=True)]


def net(P, x):
    h = x
    for W, b in zip(P[0:4:2], P[1:4:2]):
        h = (h @ W + b).relu()
    h = torch.cat([h.mean(1), h.amax(1)], 1)
    h = (h @ P[4] + P[5]).relu()
    return h @ P[6] + P[7]


def update(P, V, lr, mu):
    with torch.no_grad():
        for p, v in zip(P, V):
            v.mul_(mu).add_(p.grad)
            p.sub_(lr * v)


@torch.no_grad()
def acc(P, x, y):
    return (net(P, x).argmax(1) == y).float().mean().item()


(xtr, ytr), (xva, yva), (xte, yte) = make(6000), make(400), make(1000)
m, s = xtr.mean((0, 1)), xtr.std((0, 1))
xtr, xva, xte = [(x - m) / s for x in (xtr, xva, xte)]

P = layer(2, 32) + layer(32, 48) + layer(96, 48) + layer(48, K)
V = [torch.zeros_like(p) for p in P]
epochs, bs = 24, 50
for e in range(epochs):
    lr, tot = 0.03 * (1 - e / epochs), 0.0
    for i in torch.randperm(len(xtr)).split(bs):
        loss = cross_entropy(net(P, xtr[i]), ytr[i])
        loss.backward()
        update(P, V, lr, 0.8)
        tot += loss.item() * len(i)
    print(f"{e:2d}  lr {lr:.4f}  loss {tot / len(xtr):.4f}  val {acc(P, xva, yva):.3f}")
print(f"test accuracy {acc(P, xte, yte):.3f}")

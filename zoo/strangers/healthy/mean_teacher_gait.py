"""Activity recognition from a hip accelerometer with few annotated windows (mean teacher).

The student learns from labelled windows plus agreement with a slow copy of itself on unlabelled ones; the slow copy
is what gets deployed.  The device of the target application has little memory, so a step is made of several small chunks.
"""
import argparse
import copy
import logging
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import IterableDataset

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("gait")

ACTIVITIES = ("walk", "stairs", "run", "cycle", "stand")
T = 128


def window(kind, rng):
    t = np.arange(T) / 50.0
    rate = {0: 1.8, 1: 1.5, 2: 2.7, 3: 1.3, 4: 0.0}[kind] * rng.normal(1, 0.08)
    ph = rng.uniform(0, 2 * np.pi)
    amp = {0: 1.0, 1: 0.9, 2: 2.0, 3: 0.5, 4: 0.0}[kind] * rng.lognormal(0, 0.3)
    up = amp * (np.cos(2 * np.pi * rate * t + ph) + (0.5 if kind in (0, 2) else 0.2) * np.cos(4 * np.pi * rate * t + 2 * ph + 0.6))
    fwd = amp * (0.6 if kind != 3 else 1.2) * np.sin(2 * np.pi * rate * t + ph + (0.8 if kind == 1 else 0.0))
    side = amp * 0.5 * np.sin(np.pi * rate * t + ph / 2)
    a = np.stack([up, fwd, side])
    if kind == 1:
        a[0] += 0.4 * amp * np.abs(np.sin(np.pi * rate * t + ph))
    tilt = rng.normal(0, 0.35)
    c, s = np.cos(tilt), np.sin(tilt)
    a[:2] = np.array([[c, -s], [s, c]]) @ a[:2]
    return a + rng.normal(0, 0.35, a.shape) + rng.normal(0, 0.15, (3, 1))


def collect(n, rng):
    y = np.arange(n) % len(ACTIVITIES)
    rng.shuffle(y)
    return torch.tensor(np.stack([window(k, rng) for k in y]), dtype=torch.float32), torch.from_numpy(y)


class Chunks(IterableDataset):
    """Endless pairs of a labelled and an unlabelled chunk"""

    def __init__(self, x, y, u, size, seed):
        self.x, self.y, self.u, self.size, self.seed = x, y, u, size, seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        while True:
            i = torch.randint(len(self.x), (self.size,), generator=g)
            j = torch.randint(len(self.u), (3 * self.size,), generator=g)
            yield self.x[i], self.y[i], self.u[j]


def disturb(x):
    """Small rotation about the side axis, gain, noise"""
    n = len(x)
    a = 0.2 * torch.randn(n)
    c, s = a.cos()[:, None], a.sin()[:, None]
    rot = torch.stack([c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1], x[:, 2]], 1)
    return rot * (1 + 0.1 * torch.randn(n, 1, 1)) + 0.1 * torch.randn_like(x)


class Net(nn.Module):
    def __init__(self, ch=24, p=0.2):
        super().__init__()
        self.f = nn.Sequential(
            nn.Conv1d(3, ch, 9, stride=2, padding=4), nn.GroupNorm(4, ch), nn.ReLU(),
            nn.Conv1d(ch, ch, 7, stride=2, padding=3), nn.GroupNorm(4, ch), nn.ReLU(),
            nn.Conv1d(ch, 2 * ch, 5, stride=2, padding=2), nn.GroupNorm(4, 2 * ch), nn.ReLU(),
        )
        self.drop = nn.Dropout(p)
        self.out = nn.Linear(4 * ch, len(ACTIVITIES))

    def forward(self, x):
        h = self.f(x)
        return self.out(self.drop(torch.cat([h.mean(-1), h.amax(-1)], 1)))


@torch.no_grad()
def follow(teacher, student, step):
    keep = min(0.99, 1 - 1 / (step + 1))
    for a, b in zip(teacher.parameters(), student.parameters()):
        a.data.mul_(keep).add_(b.data, alpha=1 - keep)


@torch.inference_mode()
def accuracy(net, x, y):
    was = net.training
    net.eval()
    acc = (net(x).argmax(1) == y).float().mean().item()
    net.train(was)
    return acc


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--steps", type=int, default=500)
    p.add_argument("--chunks", type=int, default=3)
    p.add_argument("--weight", type=float, default=4.0)
    a = p.parse_args()
    random.seed(a.seed)
    np.random.seed(a.seed)
    torch.manual_seed(a.seed)
    rng = np.random.default_rng(a.seed)

    x, y = collect(200, rng)
    u, _ = collect(4000, rng)
    xv, yv = collect(600, rng)
    xt, yt = collect(2000, rng)
    mu, sd = u.mean((0, 2), keepdim=True), u.std((0, 2), keepdim=True)
    x, u, xv, xt = ((z - mu) / sd for z in (x, u, xv, xt))

    student = Net()
    teacher = copy.deepcopy(student).requires_grad_(False).eval()
    opt = torch.optim.AdamW(student.parameters(), lr=2e-3, weight_decay=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.steps, eta_min=1e-5)
    source = iter(Chunks(x, y, u, 16, a.seed))

    student.train()
    opt.zero_grad()
    for micro in range(a.steps * a.chunks):
        step = micro // a.chunks
        xb, yb, ub = next(source)
        supervised = F.cross_entropy(student(disturb(xb)), yb)
        with torch.no_grad():
            goal = teacher(disturb(ub)).softmax(-1)
        agree = (student(disturb(ub)).softmax(-1) - goal).square().sum(-1).mean()
        ramp = float(np.exp(-5 * (1 - min(1.0, step / 150)) ** 2))
        ((supervised + a.weight * ramp * agree) / a.chunks).backward()
        if (micro + 1) % a.chunks:
            continue
        opt.step()
        opt.zero_grad()
        sched.step()
        follow(teacher, student, step)
        if (step + 1) % 50 == 0:
            log.info(f"step {step + 1:4d}  supervised {supervised.item():.3f}  agreement {agree.item():.4f}  "
                     f"validation: student {accuracy(student, xv, yv):.3f}, teacher {accuracy(teacher, xv, yv):.3f}")
    log.info(f"test accuracy: teacher {accuracy(teacher, xt, yt):.4f}, student {accuracy(student, xt, yt):.4f}")


if __name__ == "__main__":
    main()

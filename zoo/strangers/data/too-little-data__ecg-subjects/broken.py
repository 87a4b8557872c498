"""Beat morphology classifier, single lead.

Beats are simulated per subject (five-wave model of Clifford type): every subject has its own wave
amplitudes, widths, axis and electrode gain, every beat its own jitter, wander and muscle noise.
Subjects are never shared between the three groups.
"""
import argparse
import copy
import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

FS = 180
LENGTH = 144
CLASSES = ("normal", "ventricular", "atrial", "bundle-branch")

PROTOCOL = {
    "subjects": {"train": 5, "val": 50, "test": 100},
    "beats_per_subject": 32,
    "batch": 64,
    "steps": 500,
    "lr": 2e-3,
    "weight_decay": 1e-2,
    "check_every": 50,
}


class Subject:
    """One person: fixed anatomy, from which single beats are drawn."""

    def __init__(self, rng):
        self.rng = rng
        #             P     Q     R     S     T
        self.amp = np.array([0.16, -0.14, 1.0, -0.28, 0.32]) * rng.lognormal(0.0, 0.55, 5)
        self.pos = np.array([-0.19, -0.042, 0.0, 0.042, 0.25]) + rng.normal(0, [0.03, 0.008, 0.004, 0.008, 0.035])
        self.wid = np.array([0.026, 0.011, 0.014, 0.013, 0.055]) * rng.lognormal(0.0, 0.3, 5)
        if rng.random() < 0.35:
            self.amp[4] *= -1.0
        if rng.random() < 0.25:
            self.amp[2] *= 0.35
            self.amp[3] *= 3.0
        self.gain = rng.lognormal(0.0, 0.5)
        self.focus = rng.choice([-1.0, 1.0])      # polarity of this person's ectopic beats
        self.noise = rng.uniform(0.03, 0.14)

    def beat(self, kind):
        r = self.rng
        amp, pos, wid = self.amp.copy(), self.pos.copy(), self.wid.copy()
        extra = np.zeros(LENGTH)
        t = (np.arange(LENGTH) - 60) / FS + r.normal(0, 0.012)
        if kind == 1:
            amp[0] *= r.uniform(0.0, 0.2)
            wid[1:4] *= r.uniform(1.7, 2.3)
            amp[2] *= self.focus * r.uniform(1.0, 1.4)
            amp[4] *= -1.0
        elif kind == 2:
            pos[0] -= r.uniform(-0.01, 0.06)
            amp[0] *= r.uniform(-0.9, -0.3)
        elif kind == 3:
            wid[2:4] *= r.uniform(1.4, 1.9)
            notch = r.uniform(0.035, 0.055)
            extra = 0.7 * amp[2] * np.exp(-0.5 * ((t - notch) / (0.9 * wid[2])) ** 2)
            amp[4] *= r.uniform(-0.9, 0.2)
        x = extra
        for a, p, w in zip(amp * r.lognormal(0, 0.08, 5), pos, wid):
            x = x + a * np.exp(-0.5 * ((t - p) / w) ** 2)
        x = self.gain * x
        x = x + 0.15 * r.normal() * np.sin(2 * np.pi * 0.4 * t + r.uniform(0, 6.28))
        x = x + 0.03 * np.sin(2 * np.pi * 50 * t + r.uniform(0, 6.28))
        return x + self.noise * r.normal(size=LENGTH)


def record(n_subjects, beats, rng):
    xs, ys = [], []
    for _ in range(n_subjects):
        person = Subject(rng)
        for i in range(beats):
            xs.append(person.beat(i % len(CLASSES)))
            ys.append(i % len(CLASSES))
    x = np.asarray(xs, dtype=np.float32)
    x = (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-6)   # each beat on its own
    return TensorDataset(torch.from_numpy(x)[:, None], torch.tensor(ys))


class BeatNet(nn.Module):
    def __init__(self, ch=16, p=0.3):
        super().__init__()
        def stage(i, o, k):
            return nn.Sequential(nn.Conv1d(i, o, k, padding=k // 2, bias=False), nn.BatchNorm1d(o), nn.ReLU(), nn.MaxPool1d(2))
        self.body = nn.Sequential(stage(1, ch, 9), stage(ch, ch, 7), stage(ch, 2 * ch, 5))
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(p), nn.Linear(2 * ch * (LENGTH // 8), 48), nn.ReLU(),
                                  nn.Dropout(p), nn.Linear(48, len(CLASSES)))

    def forward(self, x):
        return self.head(self.body(x))


@torch.no_grad()
def score(net, data):
    net.eval()
    loss, hits = 0.0, 0
    for x, y in DataLoader(data, batch_size=512):
        z = net(x)
        loss += nn.functional.cross_entropy(z, y, reduction="sum").item()
        hits += (z.argmax(1) == y).sum().item()
    return loss / len(data), hits / len(data)


def forever(loader):
    while True:
        yield from loader


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    seed = ap.parse_args().seed
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)

    P = PROTOCOL
    rng = np.random.default_rng(seed)
    sets = {k: record(n, P["beats_per_subject"], rng) for k, n in P["subjects"].items()}
    print({k: len(v) for k, v in sets.items()})

    net = BeatNet()
    opt = torch.optim.AdamW(net.parameters(), lr=P["lr"], weight_decay=P["weight_decay"])
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, P["steps"])
    stream = forever(DataLoader(sets["train"], batch_size=P["batch"], shuffle=True, drop_last=True))

    best, keep, run = float("inf"), None, 0.0
    for step in range(1, P["steps"] + 1):
        net.train()
        x, y = next(stream)
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        run += loss.item()
        if step % P["check_every"] == 0:
            vl, va = score(net, sets["val"])
            print(f"{step:5d}  train {run / P['check_every']:.4f}  val {vl:.4f}  val acc {va:.3f}")
            run = 0.0
            if vl < best:
                best, keep = vl, copy.deepcopy(net.state_dict())

    net.load_state_dict(keep)
    tl, ta = score(net, sets["test"])
    print(f"test loss {tl:.4f}  test accuracy {ta:.4f}")


if __name__ == "__main__":
    main()

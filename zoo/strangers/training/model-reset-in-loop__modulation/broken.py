"""Automatic modulation recognition on synthetic baseband frames.

Frames are redrawn for every epoch (new symbols, channel, noise); validation and test frames are drawn once.
"""
import argparse
from collections import defaultdict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

QAM = np.array([a + 1j * b for a in (-3, -1, 1, 3) for b in (-3, -1, 1, 3)]) / np.sqrt(10)
ALPHABETS = {
    "BPSK": np.array([-1.0, 1.0]) + 0j,
    "QPSK": np.exp(1j * (np.pi / 4 + np.pi / 2 * np.arange(4))),
    "8PSK": np.exp(1j * np.pi / 4 * np.arange(8)),
    "QAM16": QAM,
    "PAM4": np.array([-3, -1, 1, 3]) / np.sqrt(5) + 0j,
}
NAMES = list(ALPHABETS)


def frames(n, length, snr_db, rng):
    y = rng.integers(0, len(NAMES), n)
    x = np.empty((n, 2, length), dtype=np.float32)
    for i, k in enumerate(y):
        s = rng.choice(ALPHABETS[NAMES[k]], length)
        cfo = rng.uniform(-2e-3, 2e-3)
        s = s * np.exp(1j * (2 * np.pi * cfo * np.arange(length) + rng.uniform(0, 2 * np.pi)))
        sigma = 10 ** (-rng.uniform(*snr_db) / 20) / np.sqrt(2)
        s = s + sigma * (rng.normal(size=length) + 1j * rng.normal(size=length))
        s = s / np.sqrt(np.mean(np.abs(s) ** 2))
        x[i, 0], x[i, 1] = s.real, s.imag
    return torch.from_numpy(x), torch.from_numpy(y)


def moments(x):
    """Instantaneous powers of the complex envelope, as extra channels"""
    z = torch.complex(x[:, 0], x[:, 1])
    z2, z4 = z ** 2, z ** 4
    a = z.abs()
    return torch.stack([z.real, z.imag, z2.real, z2.imag, 0.5 * z4.real, 0.5 * z4.imag, a - 1.0, a ** 2 - 1.0], 1)


class Recogniser(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(8, width, 7, padding=3), nn.ReLU(),
            nn.Conv1d(width, width, 7, padding=3, stride=2), nn.ReLU(),
            nn.Conv1d(width, width, 7, padding=3, stride=2), nn.ReLU(),
        )
        self.out = nn.Sequential(nn.Linear(2 * width, 64), nn.ReLU(), nn.Linear(64, len(NAMES)))

    def forward(self, x):
        h = self.conv(moments(x))
        return self.out(torch.cat([h.mean(-1), h.amax(-1)], 1))


class Experiment:
    def __init__(self, **settings):
        self.s = settings
        torch.manual_seed(settings["seed"])
        self.rng = np.random.default_rng(settings["seed"])
        self.val = frames(600, settings["length"], settings["snr_db"], self.rng)
        self.test = frames(1500, settings["length"], settings["snr_db"], self.rng)
        self.hooks = defaultdict(list)
        self.on("epoch_start", self.draw_frames)
        self.on("epoch_start", self.assemble)
        self.on("epoch_end", self.report)

    def on(self, event, action):
        self.hooks[event].append(action)

    def fire(self, event, **info):
        for action in self.hooks[event]:
            action(**info)

    def assemble(self, **_):
        s = self.s
        self.net = Recogniser(s["width"])
        self.opt = torch.optim.Adam(self.net.parameters(), lr=s["lr"])
        total = s["epochs"] * (s["frames"] // s["batch"])
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, total)

    def draw_frames(self, **_):
        self.train = frames(self.s["frames"], self.s["length"], self.s["snr_db"], self.rng)

    def report(self, epoch, loss):
        v, acc = self.measure(*self.val)
        print(f"[{epoch:02d}] loss {loss:.4f}   val loss {v:.4f}   val accuracy {acc:.3f}")

    @torch.no_grad()
    def measure(self, x, y):
        self.net.eval()
        z = torch.cat([self.net(part) for part in x.split(300)])
        return F.cross_entropy(z, y).item(), (z.argmax(1) == y).float().mean().item()

    def one_pass(self):
        self.net.train()
        x, y = self.train
        losses = []
        for pick in torch.randperm(len(y)).split(self.s["batch"]):
            loss = F.cross_entropy(self.net(x[pick]), y[pick])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.sched.step()
            losses.append(loss.item())
        return float(np.mean(losses))

    def run(self):
        self.fire("run_start")
        for epoch in range(1, self.s["epochs"] + 1):
            self.fire("epoch_start", epoch=epoch)
            loss = self.one_pass()
            self.fire("epoch_end", epoch=epoch, loss=loss)
        self.fire("run_end")
        return self.measure(*self.test)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    exp = Experiment(seed=args.seed, length=192, snr_db=(6.0, 18.0), width=24, lr=2e-3, epochs=20, frames=1280, batch=64)
    loss, acc = exp.run()
    print(f"test loss {loss:.4f}, test accuracy {acc:.4f} over {len(NAMES)} modulations")

"""Classify short animal whistles (five contour types) from a log-spectrogram.

No nn.Module here: parameters live in a dict and go through torch.func.
"""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch.func import grad_and_value

RATE, LENGTH = 4000, 1600
CONTOURS = ("flat", "rise", "fall", "bow", "trill")


def synth(n, seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, LENGTH)
    label = rng.integers(0, len(CONTOURS), n)
    wave = np.empty((n, LENGTH), dtype=np.float32)
    for i, c in enumerate(label):
        f0, span = rng.uniform(500, 1100), rng.uniform(150, 400)
        freq = {
            0: f0 + 0 * t,
            1: f0 + span * t,
            2: f0 + span * (1 - t),
            3: f0 + span * np.sin(np.pi * t),
            4: f0 + 0.5 * span * np.sin(2 * np.pi * rng.uniform(3, 5) * t),
        }[c]
        phase = 2 * np.pi * np.cumsum(freq) / RATE + rng.uniform(0, 2 * np.pi)
        env = np.exp(-0.5 * ((t - rng.uniform(0.4, 0.6)) / 0.35) ** 2)
        wave[i] = env * np.sin(phase) + rng.uniform(0.3, 0.7) * rng.standard_normal(LENGTH)
    return torch.from_numpy(wave), torch.from_numpy(label)


def spectrogram(wave):
    s = torch.stft(wave, 128, hop_length=64, window=torch.hann_window(128), return_complex=True).abs()
    s = torch.log1p(s)[:, :48]
    return (s - s.mean((1, 2), keepdim=True)) / s.std((1, 2), keepdim=True)


def init_params(gen, width=16):
    def he(*shape):
        fan_in = int(np.prod(shape[1:]))
        return torch.randn(*shape, generator=gen) * (2 / fan_in) ** 0.5

    return {
        "c1": he(width, 1, 3, 3), "b1": torch.zeros(width),
        "c2": he(2 * width, width, 3, 3), "b2": torch.zeros(2 * width),
        "w3": he(64, 2 * width * 6 * 3), "b3": torch.zeros(64),
        "w4": he(len(CONTOURS), 64) * 0.3, "b4": torch.zeros(len(CONTOURS)),
    }


def forward(p, x):
    h = F.max_pool2d(F.relu(F.conv2d(x[:, None], p["c1"], p["b1"], padding=1)), 2)
    h = F.max_pool2d(F.relu(F.conv2d(h, p["c2"], p["b2"], padding=1)), 4)
    h = F.relu(F.linear(h.flatten(1), p["w3"], p["b3"]))
    return F.linear(h, p["w4"], p["b4"])


def objective(p, x, y):
    return F.cross_entropy(forward(p, x), y, label_smoothing=0.02)


def draw_batch(x, y, size, seed=0):
    gen = torch.Generator().manual_seed(seed)
    idx = torch.randint(0, len(x), (size,), generator=gen)
    return x[idx], y[idx]


class Adam:
    """Minimal Adam for a dict of tensors."""

    def __init__(self, params, lr, b1=0.9, b2=0.99, eps=1e-8):
        self.lr, self.b1, self.b2, self.eps, self.t = lr, b1, b2, eps, 0
        self.m = {k: torch.zeros_like(v) for k, v in params.items()}
        self.v = {k: torch.zeros_like(v) for k, v in params.items()}

    def update(self, params, grads):
        self.t += 1
        out = {}
        for k, g in grads.items():
            self.m[k] = self.b1 * self.m[k] + (1 - self.b1) * g
            self.v[k] = self.b2 * self.v[k] + (1 - self.b2) * g * g
            mhat = self.m[k] / (1 - self.b1 ** self.t)
            vhat = self.v[k] / (1 - self.b2 ** self.t)
            out[k] = params[k] - self.lr * mhat / (vhat.sqrt() + self.eps)
        return out


def accuracy(p, x, y):
    return (forward(p, x).argmax(1) == y).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=500)
    ap.add_argument("--batch", type=int, default=40)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()

    wave, y = synth(1800, seed=21)
    x = spectrogram(wave)
    wave_te, y_te = synth(500, seed=22)
    x_te = spectrogram(wave_te)
    print("spectrogram", tuple(x.shape[1:]), "classes", dict(zip(CONTOURS, torch.bincount(y).tolist())))

    params = init_params(torch.Generator().manual_seed(a.seed))
    opt = Adam(params, a.lr)
    step_fn = grad_and_value(objective)
    for step in range(1, a.steps + 1):
        xb, yb = draw_batch(x, y, a.batch)
        grads, loss = step_fn(params, xb, yb)
        params = opt.update(params, grads)
        if step % 50 == 0:
            print(f"step {step:4d}  loss {loss.item():.4f}")
    print(f"train accuracy {accuracy(params, x, y):.3f}")
    print(f"test accuracy  {accuracy(params, x_te, y_te):.3f}")


if __name__ == "__main__":
    main()

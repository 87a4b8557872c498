"""Fault diagnosis on pumps by transfer.

A 1-D conv encoder is first trained on the test rig, where motor speed class is known for
plenty of recordings. It then moves to field pumps with fault labels: a short phase for the
new head alone, after which the whole network is tuned.
"""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.lr_scheduler import LinearLR

LENGTH = 192
FAULTS = ("healthy", "bearing", "imbalance", "cavitation", "looseness")


def rig_recordings(n, rng):
    t = np.arange(LENGTH) / LENGTH
    speed = rng.integers(0, 4, n)
    f = np.array([3.0, 5.0, 7.0, 9.0])[speed] + rng.normal(0, 0.4, n)
    ph = rng.uniform(0, 2 * np.pi, n)
    x = np.sin(2 * np.pi * f[:, None] * t + ph[:, None]) + 0.5 * rng.normal(size=(n, LENGTH))
    return x.astype(np.float32), speed.astype(np.int64)


def field_recordings(n, rng):
    t = np.arange(LENGTH)
    y = rng.integers(0, len(FAULTS), n)
    x = np.empty((n, LENGTH), dtype=np.float32)
    for i, k in enumerate(y):
        f = rng.uniform(3, 9) / LENGTH
        ph = rng.uniform(0, 2 * np.pi)
        s = np.sin(2 * np.pi * f * t + ph)
        if k == 1:
            period = rng.integers(14, 22)
            pulse = ((t + rng.integers(period)) % period < 2).astype(float)
            s = s + 1.3 * pulse * np.where(t % 2 == 0, 1.0, -1.0)
        elif k == 2:
            s = s + 0.7 * np.sin(4 * np.pi * f * t + 2 * ph)
        elif k == 3:
            s = s + 0.45 * rng.normal(size=LENGTH) * (1 + np.sin(2 * np.pi * f * t + ph))
        elif k == 4:
            s = np.clip(s, -0.65, 1.0) * 1.2
        x[i] = s + 0.3 * rng.normal(size=LENGTH)
    return x, y.astype(np.int64)


class Encoder(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.block1 = nn.Sequential(nn.Conv1d(1, width, 9, padding=4), nn.GroupNorm(4, width), nn.ReLU(), nn.MaxPool1d(2))
        self.block2 = nn.Sequential(nn.Conv1d(width, width, 5, padding=2), nn.GroupNorm(4, width), nn.ReLU(), nn.MaxPool1d(2))
        self.block3 = nn.Sequential(nn.Conv1d(width, 2 * width, 5, padding=2), nn.GroupNorm(4, 2 * width), nn.ReLU())
        self.dim = 4 * width

    def forward(self, x):
        z = self.block3(self.block2(self.block1(x.unsqueeze(1))))
        return torch.cat([z.mean(-1), z.amax(-1)], dim=1)


class Diagnoser(nn.Module):
    def __init__(self, encoder, n_out):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(encoder.dim, n_out)

    def forward(self, x):
        return self.head(self.encoder(x))


def set_trainable(module, flag):
    for child in module.children():
        child.requires_grad = flag


def batches(x, y, size, rng):
    order = rng.permutation(len(x))
    for s in range(0, len(order), size):
        idx = order[s:s + size]
        yield x[idx], y[idx]


def fit(model, data, epochs, lr, rng, tag, batch=64):
    opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
    decay = LinearLR(opt, 1.0, 0.05, total_iters=epochs)
    for epoch in range(epochs):
        model.train()
        losses = []
        for xb, yb in batches(*data, batch, rng):
            opt.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        decay.step()
        print(f"{tag} epoch {epoch + 1}: loss {np.mean(losses):.4f}")


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--rig", type=int, default=2000)
    ap.add_argument("--field", type=int, default=2600)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    xr, yr = rig_recordings(args.rig, rng)
    rig = (torch.from_numpy((xr - xr.mean()) / xr.std()), torch.from_numpy(yr))
    xf, yf = field_recordings(args.field, rng)
    n_train = int(0.75 * args.field)
    mean, std = xf[:n_train].mean(), xf[:n_train].std()
    xf, yf = torch.from_numpy((xf - mean) / std), torch.from_numpy(yf)
    field = (xf[:n_train], yf[:n_train])

    encoder = Encoder()
    fit(Diagnoser(encoder, 4), rig, epochs=4, lr=2e-3, rng=rng, tag="rig")

    model = Diagnoser(encoder, len(FAULTS))
    encoder.requires_grad_(False)
    fit(model, field, epochs=3, lr=5e-3, rng=rng, tag="head")
    print(f"after head phase: test accuracy {accuracy(model, xf[n_train:], yf[n_train:]):.4f}")

    set_trainable(model.encoder, True)
    fit(model, field, epochs=14, lr=2e-3, rng=rng, tag="full")
    print(f"test accuracy {accuracy(model, xf[n_train:], yf[n_train:]):.4f}")


if __name__ == "__main__":
    main()

"""Bearing condition monitoring with a network meant for an analog front end.

Each hidden unit is a differential amplifier: a weighted sum of voltages followed by its transfer curve.  The network
is trained off line here, then the weights are written to the array.  Input: envelope spectrum of a short record.
"""
import argparse
import dataclasses
import time

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

CONDITIONS = ["healthy", "outer race", "inner race", "ball", "cage", "imbalance"]
FS = 2048
N = 1024
BINS = 96


@dataclasses.dataclass
class Plan:
    seed: int = 0
    train: int = 5400
    valid: int = 900
    test: int = 1800
    hidden: tuple = (64, 64, 64, 64)
    batch: int = 60
    epochs: int = 20
    lr: float = 2e-3
    decay: float = 1e-2


class Bench:
    """Rotating test bench: shaft speed and load vary from record to record."""

    orders = {1: 3.58, 2: 5.42, 3: 4.71, 4: 0.40}

    def __init__(self, rng):
        self.rng = rng
        self.t = np.arange(N) / FS

    def record(self, condition):
        r, t = self.rng, self.t
        shaft = r.uniform(27.0, 31.0)
        x = 0.25 * np.sin(2 * np.pi * shaft * t + r.uniform(0, 6.3)) + 0.1 * np.sin(4 * np.pi * shaft * t + r.uniform(0, 6.3))
        env = np.full(N, 0.25)
        if condition in self.orders:
            f = shaft * self.orders[condition] * (1 + r.normal(0, 0.006))
            phase = (f * t + r.random()) % 1.0
            strength = r.uniform(0.5, 1.2)
            pulses = np.exp(-phase * 6.0)
            if condition == 2:
                pulses = pulses * (1 + 0.8 * np.cos(2 * np.pi * shaft * t + r.uniform(0, 6.3)))
            env = env + strength * pulses
        elif condition == 5:
            x = x * r.uniform(1.6, 2.6)
            env = env * (1 + 0.6 * np.cos(2 * np.pi * shaft * t + r.uniform(0, 6.3)))
        return x + env * r.normal(0, 1.0, N) + r.normal(0, 0.25, N)

    def spectrum(self, condition):
        x = self.record(condition)
        e = np.abs(x - x.mean())
        e = (e - e.mean()) * np.hanning(N)
        p = np.abs(np.fft.rfft(e))[1:BINS + 1]
        return np.log(p + 1e-2)


class Records(Dataset):
    def __init__(self, n, rng, scale=None):
        bench = Bench(rng)
        self.y = torch.from_numpy(rng.integers(0, len(CONDITIONS), n))
        x = np.stack([bench.spectrum(int(c)) for c in self.y]).astype(np.float32)
        self.scale = scale or (x.mean(0), x.std(0))
        self.x = torch.from_numpy((x - self.scale[0]) / self.scale[1])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Amplifier(nn.Module):
    """Transfer curve of one stage: linear around zero, limited by the supply at both ends."""

    def __init__(self, gain=40.0):
        super().__init__()
        self.gain = gain

    def forward(self, v):
        return torch.tanh(self.gain * v)


class AnalogNet(nn.Module):
    def __init__(self, n_in, hidden, n_out):
        super().__init__()
        stages = []
        for h in hidden:
            w = nn.Linear(n_in, h)
            nn.init.xavier_uniform_(w.weight)
            nn.init.zeros_(w.bias)
            stages += [w, Amplifier()]
            n_in = h
        self.stages = nn.Sequential(*stages)
        self.readout = nn.Linear(n_in, n_out)

    def forward(self, x):
        return self.readout(self.stages(x))


def evaluate(net, data, criterion):
    net.eval()
    total = right = 0.0
    with torch.no_grad():
        for x, y in DataLoader(data, batch_size=300):
            z = net(x)
            total += criterion(z, y).item() * len(y)
            right += (z.argmax(1) == y).sum().item()
    return total / len(data), right / len(data)


def main(plan):
    torch.manual_seed(plan.seed)
    rng = np.random.default_rng(plan.seed)
    train = Records(plan.train, rng)
    valid = Records(plan.valid, rng, train.scale)
    test = Records(plan.test, rng, train.scale)

    net = AnalogNet(BINS, plan.hidden, len(CONDITIONS))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(net.parameters(), lr=plan.lr, weight_decay=plan.decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, plan.epochs)
    loader = DataLoader(train, batch_size=plan.batch, shuffle=True)

    t0 = time.time()
    for epoch in range(plan.epochs):
        net.train()
        acc_loss = 0.0
        for x, y in loader:
            x = x + 0.5 * torch.randn_like(x)          # input noise of the converter stage
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
            acc_loss += loss.item() * len(y)
        schedule.step()
        vl, va = evaluate(net, valid, criterion)
        if epoch % 2 == 0 or epoch == plan.epochs - 1:
            print(f"epoch {epoch + 1:2d}: train {acc_loss / len(train):.4f}, valid {vl:.4f}, accuracy {va:.3f}, {time.time() - t0:.1f} s")
    tl, ta = evaluate(net, test, criterion)
    print(f"test: loss {tl:.4f}, accuracy {ta:.4f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for f in dataclasses.fields(Plan):
        if f.type in (int, float):
            parser.add_argument("--" + f.name, type=f.type, default=f.default)
    main(Plan(**vars(parser.parse_args())))

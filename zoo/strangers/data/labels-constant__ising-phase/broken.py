#!/usr/bin/env python
"""Telling the two phases of the 2-D Ising model apart with a small convolutional net.

Spin configurations are drawn by checkerboard Metropolis sampling (J = k_B = 1, periodic
boundaries), many independent chains at once. Half of the chains start from a hot lattice.
The transition temperature is Onsager's exact result for the square lattice.
"""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SIZE = 16
CHAINS = 1400
SWEEPS = 160
T_RANGE = (1.2, 3.6)
T_ONSAGER = 2.0 / np.log10(1.0 + np.sqrt(2.0))


def metropolis(temps, sweeps, rng):
    n = len(temps)
    spins = rng.choice([-1.0, 1.0], size=(n, SIZE, SIZE))
    cold = rng.random(n) < 0.5
    spins[cold] = rng.choice([-1.0, 1.0], size=(cold.sum(), 1, 1))
    parity = np.indices((SIZE, SIZE)).sum(0) % 2
    beta = (1.0 / temps)[:, None, None]
    for _ in range(sweeps):
        for colour in (0, 1):
            field = (np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
                     + np.roll(spins, 1, 2) + np.roll(spins, -1, 2))
            cost = 2.0 * spins * field
            accept = (rng.random(spins.shape) < np.exp(-beta * np.maximum(cost, 0.0))) & (parity == colour)
            spins = np.where(accept, -spins, spins)
    return spins


def make_data(rng):
    temps = rng.uniform(*T_RANGE, size=CHAINS)
    spins = metropolis(temps, SWEEPS, rng)
    ordered = (temps < T_ONSAGER).astype(np.int64)
    x = torch.tensor(spins, dtype=torch.float32).unsqueeze(1)
    y = torch.from_numpy(ordered)
    return x, y, temps


class PhaseNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1, padding_mode="circular"), nn.ReLU(),
            nn.AvgPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1, padding_mode="circular"), nn.ReLU(),
            nn.AdaptiveAvgPool2d(2), nn.Flatten(),
        )
        self.classify = nn.Linear(24 * 4, 2)

    def forward(self, s):
        return self.classify(self.features(s))


def evaluate(net, loader):
    net.eval()
    hits, nll, n = 0, 0.0, 0
    with torch.no_grad():
        for s, phase in loader:
            out = net(s)
            nll += nn.functional.cross_entropy(out, phase, reduction="sum").item()
            hits += (out.argmax(1) == phase).sum().item()
            n += len(phase)
    return nll / n, hits / n


def main():
    torch.manual_seed(2024)
    rng = np.random.default_rng(2024)
    x, y, temps = make_data(rng)
    print(f"{len(x)} lattices of {SIZE}x{SIZE}, temperatures {temps.min():.2f} to {temps.max():.2f}")

    cut = int(0.8 * len(x))
    train = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=64, shuffle=True)
    test = DataLoader(TensorDataset(x[cut:], y[cut:]), batch_size=200)

    net = PhaseNet()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    epochs = 15
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs, eta_min=1e-4)
    for epoch in range(epochs):
        net.train()
        acc_loss, n = 0.0, 0
        for s, phase in train:
            # the Hamiltonian does not change under a global flip
            flip = torch.where(torch.rand(len(s), 1, 1, 1) < 0.5, -1.0, 1.0)
            loss = nn.functional.cross_entropy(net(s * flip), phase)
            opt.zero_grad()
            loss.backward()
            opt.step()
            acc_loss += loss.item() * len(s)
            n += len(s)
        sched.step()
        print(f"epoch {epoch + 1:2d}: train nll {acc_loss / n:.4f}")

    nll, acc = evaluate(net, test)
    print(f"test: nll {nll:.4f}, accuracy {acc:.3f}")


if __name__ == "__main__":
    main()

"""Pretrain on the test-bench pumps, fine-tune on the pumps in the field.

The field set is small, so the encoder learned on the bench is reused and moves only slowly.
"""
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

N_FAULTS = 5
T = 96


def vibration(n, rng, base, noise):
    """Signals whose pattern of modulation tells the fault."""
    y = rng.permutation(np.arange(n) % N_FAULTS)
    t = np.arange(T) / T
    out = np.empty((n, T), dtype=np.float32)
    for i, k in enumerate(y):
        carrier = base * (1 + 0.15 * rng.standard_normal())
        phase = rng.uniform(0, 2 * np.pi)
        envelope = 1 + 0.9 * np.sin(2 * np.pi * (k + 1) * t + rng.uniform(0, 2 * np.pi))
        out[i] = envelope * np.sin(2 * np.pi * carrier * t + phase) + noise * rng.standard_normal(T)
    return torch.from_numpy(out).unsqueeze(1), torch.from_numpy(y)


def make_encoder():
    return nn.Sequential(
        nn.Conv1d(1, 24, 7, padding=3), nn.BatchNorm1d(24), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(24, 32, 7, padding=3), nn.BatchNorm1d(32), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(32, 48, 7, padding=3), nn.BatchNorm1d(48), nn.ReLU(), nn.MaxPool1d(2),
        nn.Flatten(), nn.Linear(48 * (T // 8), 48), nn.ReLU(),
    )


class PumpNet(nn.Module):
    def __init__(self, n_out):
        super().__init__()
        self.encoder = make_encoder()
        self.head = nn.Linear(48, n_out)

    def forward(self, x):
        return self.head(self.encoder(x))


def run_epochs(model, loader, optimizer, epochs, tag):
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        print(f"{tag} epoch {epoch + 1}: loss {total / len(loader.dataset):.4f}")


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def pretrain(path, rng):
    x, y = vibration(3000, rng, base=18, noise=0.25)
    model = PumpNet(N_FAULTS)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    run_epochs(model, loader, optimizer, 6, "bench")
    torch.save({"epoch": 6, "state_dict": model.state_dict()}, path)


def finetune(path, rng):
    x_train, y_train = vibration(300, rng, base=15, noise=0.35)
    x_test, y_test = vibration(800, rng, base=15, noise=0.35)

    model = PumpNet(N_FAULTS)
    checkpoint = torch.load(path)
    # strict=False: the bench run may carry buffers we do not need here
    model.load_state_dict(checkpoint, strict=False)
    print("checkpoint loaded from epoch", checkpoint["epoch"])

    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=30, shuffle=True)
    optimizer = torch.optim.Adam([
        {"params": model.encoder.parameters(), "lr": 1e-4},
        {"params": model.head.parameters(), "lr": 5e-3},
    ])
    run_epochs(model, loader, optimizer, 10, "field")
    print(f"field test accuracy {accuracy(model, x_test, y_test):.3f}")


if __name__ == "__main__":
    torch.manual_seed(21)
    rng = np.random.default_rng(21)
    with tempfile.TemporaryDirectory() as folder:
        ckpt = os.path.join(folder, "bench.pt")
        pretrain(ckpt, rng)
        finetune(ckpt, rng)

"""Denoising autoencoder for short pulse waveforms."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {"length": 48, "hidden": 64, "code": 12, "lr": 2e-3, "epochs": 30, "batch": 64, "seed": 13}


def waveforms(count, length):
    """Two Gaussian pulses of opposite sign at random positions, scaled to about unit spread."""
    grid = torch.linspace(0, 1, length)
    position = torch.rand(count, 2, 1) * 0.8 + 0.1
    width = 0.05 + 0.05 * torch.rand(count, 2, 1)
    sign = torch.tensor([1.0, -1.0]).view(1, 2, 1)
    pulses = sign * torch.exp(-0.5 * ((grid - position) / width) ** 2)
    return 2.0 * pulses.sum(dim=1)


class Autoencoder(nn.Module):
    def __init__(self, length, hidden, code):
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(length, hidden), nn.ReLU(), nn.Linear(hidden, code))
        self.decode = nn.Sequential(nn.Linear(code, hidden), nn.ReLU(), nn.Linear(hidden, length))

    def forward(self, signal):
        return self.decode(self.encode(signal))


def setup(config):
    model = Autoencoder(config["length"], config["hidden"], config["code"])
    optimizer = torch.optim.Adam(model.parameters(), lr=config["lr"])
    return model, optimizer


def explained_variance(model, noisy, clean):
    model.eval()
    with torch.no_grad():
        residual = (model(noisy) - clean).pow(2).mean()
    return 1 - (residual / clean.var()).item()


def train():
    torch.manual_seed(CONFIG["seed"])
    clean = waveforms(3000, CONFIG["length"])
    noisy = clean + 0.3 * torch.randn_like(clean)
    train_set = TensorDataset(noisy[:2000], clean[:2000])
    val_noisy, val_clean = noisy[2000:2400], clean[2000:2400]
    test_noisy, test_clean = noisy[2400:], clean[2400:]
    loader = DataLoader(train_set, batch_size=CONFIG["batch"], shuffle=True)
    criterion = nn.MSELoss()

    for epoch in range(CONFIG["epochs"]):
        model, optimizer = setup(CONFIG)
        model.train()
        epoch_loss = 0.0
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = criterion(model(inputs), targets)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item() * len(inputs)
        if (epoch + 1) % 5 == 0:
            ev = explained_variance(model, val_noisy, val_clean)
            print(f"epoch {epoch + 1}: mse {epoch_loss / len(train_set):.4f}, val EV {ev:.3f}")

    ev = explained_variance(model, test_noisy, test_clean)
    print(f"explained variance on clean test signals: {ev:.3f}")


if __name__ == "__main__":
    train()

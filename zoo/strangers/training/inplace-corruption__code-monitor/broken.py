# Autoencoder for 8x8 digits. Besides the reconstruction error we keep an eye on the
# redundancy of the code (mean absolute correlation between code units).
import argparse
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


class AutoEncoder(nn.Module):
    def __init__(self, n_pixels=64, n_hidden=96, n_code=24):
        super().__init__()
        self.enc1 = nn.Linear(n_pixels, n_hidden)
        self.enc2 = nn.Linear(n_hidden, n_code)
        self.dec1 = nn.Linear(n_code, n_hidden)
        self.dec2 = nn.Linear(n_hidden, n_pixels)

    def encode(self, x):
        return torch.sigmoid(self.enc2(F.relu(self.enc1(x))))

    def decode(self, code):
        return self.dec2(F.relu(self.dec1(code)))

    def forward(self, x):
        code = self.encode(x)
        return self.decode(code), code


class CodeMonitor:
    """Running estimate of the correlation matrix of the code units."""

    def __init__(self, n_code):
        self.total = np.zeros((n_code, n_code))
        self.batches = 0

    def update(self, code):
        z = code.detach().numpy()
        z -= z.mean(axis=0)
        z /= z.std(axis=0) + 1e-6
        self.total += z.T @ z / len(z)
        self.batches += 1

    def redundancy(self):
        corr = np.abs(self.total / self.batches)
        n = len(corr)
        return (corr.sum() - np.trace(corr)) / (n * (n - 1))


def get_loaders(batch_size, seed):
    digits = load_digits()
    x, y = digits.data.astype(np.float32), digits.target
    x_tr, x_te, y_tr, _ = train_test_split(x, y, test_size=0.2, stratify=y, random_state=seed)
    x_tr, x_va = train_test_split(x_tr, test_size=0.15, stratify=y_tr, random_state=seed)
    mean, std = x_tr.mean(), x_tr.std()
    sets = [TensorDataset(torch.from_numpy((a - mean) / std)) for a in (x_tr, x_va, x_te)]
    return (
        DataLoader(sets[0], batch_size=batch_size, shuffle=True),
        DataLoader(sets[1], batch_size=256),
        DataLoader(sets[2], batch_size=256),
    )


def reconstruction_error(model, loader):
    model.eval()
    squared, count = 0.0, 0
    with torch.no_grad():
        for (x,) in loader:
            out, _ = model(x)
            squared += F.mse_loss(out, x, reduction="sum").item()
            count += x.numel()
    return squared / count


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=60)
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--lr", type=float, default=4e-3)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    train_loader, val_loader, test_loader = get_loaders(args.batch_size, args.seed)
    model = AutoEncoder()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=args.epochs, eta_min=args.lr / 20)

    for epoch in range(args.epochs):
        model.train()
        monitor = CodeMonitor(24)
        running, seen = 0.0, 0
        for (x,) in train_loader:
            out, code = model(x)
            loss = F.mse_loss(out, x)
            monitor.update(code)
            opt.zero_grad()
            loss.backward()
            opt.step()
            running += loss.item() * len(x)
            seen += len(x)
        schedule.step()
        if (epoch + 1) % 5 == 0:
            val = reconstruction_error(model, val_loader)
            print(f"epoch {epoch + 1:3d} | train mse {running / seen:.4f} | val mse {val:.4f} "
                  f"| code redundancy {monitor.redundancy():.3f}")

    print(f"test reconstruction mse: {reconstruction_error(model, test_loader):.4f} (1.0 = predicting a constant)")


if __name__ == "__main__":
    main()

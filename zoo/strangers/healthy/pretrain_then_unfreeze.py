"""Few labels, many pictures.

1. A denoising autoencoder is trained on all unlabelled training digits.
2. Its encoder gets a classification head and is fine-tuned on 400 labelled digits:
   first the head alone, then everything with a smaller rate for the encoder.
"""
import argparse
import itertools
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn, optim


class Encoder(nn.Module):
    def __init__(self, code):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * 16, code), nn.ReLU(),
        )

    def forward(self, x):
        return self.layers(x)


class Decoder(nn.Module):
    def __init__(self, code):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(code, 128), nn.ReLU(), nn.Linear(128, 64))

    def forward(self, z):
        return self.layers(z).view(-1, 1, 8, 8)


class Classifier(nn.Module):
    def __init__(self, encoder, code):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(code, 10)

    def forward(self, x):
        return self.head(self.encoder(x))


def minibatches(n, size):
    yield from torch.randperm(n).split(size)


def pretrain(x, args, folder):
    encoder, decoder = Encoder(args.code), Decoder(args.code)
    opt = optim.Adam(itertools.chain(encoder.parameters(), decoder.parameters()), lr=2e-3)
    for epoch in range(args.pretrain_epochs):
        total = 0.0
        for rows in minibatches(len(x), 64):
            clean = x[rows]
            noisy = clean + 0.4 * torch.randn_like(clean)
            loss = nn.functional.mse_loss(decoder(encoder(noisy)), clean)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
    print(f"autoencoder: reconstruction error {total / len(x):.3f} (input variance 1)")
    path = Path(folder) / "encoder.pt"
    torch.save(encoder.state_dict(), path)
    return path


def run_phase(model, x, y, opt, epochs, name):
    for _ in range(epochs):
        model.train()
        total = 0.0
        for rows in minibatches(len(x), 20):
            loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(rows)
    print(f"{name}: loss {total / len(x):.4f}")


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--code", type=int, default=48)
    ap.add_argument("--labels", type=int, default=400)
    ap.add_argument("--pretrain-epochs", type=int, default=25)
    ap.add_argument("--seed", type=int, default=6)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    x, y = load_digits(return_X_y=True)
    x = x.reshape(-1, 1, 8, 8).astype(np.float32)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.3, stratify=y, random_state=args.seed)
    mean, std = x_train.mean(), x_train.std()
    x_few, _, y_few, _ = train_test_split(
        x_train, y_train, train_size=args.labels, stratify=y_train, random_state=args.seed)
    x_train, x_few, x_test = (torch.from_numpy((a - mean) / std) for a in (x_train, x_few, x_test))
    y_few, y_test = torch.from_numpy(y_few), torch.from_numpy(y_test)

    with TemporaryDirectory() as folder:
        weights = pretrain(x_train, args, folder)
        encoder = Encoder(args.code)
        encoder.load_state_dict(torch.load(weights, weights_only=True))
    model = Classifier(encoder, args.code)

    model.encoder.requires_grad_(False)
    run_phase(model, x_few, y_few, optim.Adam(model.head.parameters(), lr=1e-2), 20, "head only")
    print(f"  test accuracy {accuracy(model, x_test, y_test):.4f}")

    model.encoder.requires_grad_(True)
    groups = [
        {"params": model.encoder.parameters(), "lr": 3e-4},
        {"params": model.head.parameters(), "lr": 2e-3},
    ]
    run_phase(model, x_few, y_few, optim.AdamW(groups, weight_decay=1e-2), 25, "whole network")
    print(f"  test accuracy {accuracy(model, x_test, y_test):.4f}")


if __name__ == "__main__":
    main()

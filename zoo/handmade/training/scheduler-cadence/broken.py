"""Orientation of noisy gratings with a small convolutional network."""

import argparse
import math

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Gratings(Dataset):
    """Images of a sine wave in one of six orientations, with noise and random frequency."""

    def __init__(self, n, size=16, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 6, (n,), generator=g)
        theta = self.labels * math.pi / 6
        freq = 0.7 + 0.5 * torch.rand(n, generator=g)
        phase = 2 * math.pi * torch.rand(n, generator=g)
        ys, xs = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        proj = theta.cos().view(-1, 1, 1) * xs + theta.sin().view(-1, 1, 1) * ys
        wave = torch.sin(freq.view(-1, 1, 1) * proj + phase.view(-1, 1, 1))
        self.images = (wave + 1.1 * torch.randn(n, size, size, generator=g)).unsqueeze(1)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.images[i], self.labels[i]


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 8, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 16, 6),
    )


def evaluate(model, loader):
    model.eval()
    hits = 0
    with torch.no_grad():
        for images, labels in loader:
            hits += (model(images).argmax(1) == labels).sum().item()
    return hits / len(loader.dataset)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=0.02)
    parser.add_argument("--gamma", type=float, default=0.85, help="decay of the rate per epoch")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    train_loader = DataLoader(Gratings(1600, seed=10), batch_size=args.batch_size, shuffle=True)
    val_loader = DataLoader(Gratings(400, seed=11), batch_size=200)
    test_loader = DataLoader(Gratings(600, seed=12), batch_size=200)

    model = build_model()
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=args.gamma)

    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for images, labels in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(images), labels)
            loss.backward()
            optimizer.step()
            scheduler.step()
            running += loss.item()
        val_acc = evaluate(model, val_loader)
        print(f"epoch {epoch:2d} loss {running / len(train_loader):.4f} val acc {val_acc:.3f}")

    print(f"test acc = {evaluate(model, test_loader):.3f}")


if __name__ == "__main__":
    main()

"""Classify seeds of four varieties from twenty-four spectral bands."""

import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Subset, TensorDataset


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=700)
    parser.add_argument("--bands", type=int, default=24)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.03)
    parser.add_argument("--weight-decay", type=float, default=0.01)
    parser.add_argument("--test-fraction", type=float, default=0.25)
    parser.add_argument("--seed", type=int, default=5)
    return parser.parse_args()


def make_spectra(rng, samples, bands):
    varieties = 4
    label = rng.integers(varieties, size=samples)
    form = rng.integers(2, size=samples)
    prototypes = rng.normal(size=(varieties, 2, bands))
    spectra = 0.7 * prototypes[label, form] + rng.normal(size=(samples, bands))
    return spectra.astype(np.float32), label


def evaluate(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for spectra, label in loader:
            correct += (model(spectra).argmax(1) == label).sum().item()
    return correct / len(loader.dataset)


def run(args):
    rng = np.random.default_rng(args.seed)
    torch.manual_seed(args.seed)

    spectra, label = make_spectra(rng, args.samples, args.bands)
    n_test = int(args.test_fraction * args.samples)
    train_idx = rng.choice(args.samples, size=args.samples - n_test, replace=False)
    test_idx = rng.choice(args.samples, size=n_test, replace=False)

    mean, std = spectra[train_idx].mean(0), spectra[train_idx].std(0)
    dataset = TensorDataset(torch.from_numpy((spectra - mean) / std), torch.from_numpy(label))
    train_loader = DataLoader(
        Subset(dataset, train_idx.tolist()), batch_size=args.batch_size, shuffle=True
    )
    test_loader = DataLoader(Subset(dataset, test_idx.tolist()), batch_size=256)

    model = nn.Sequential(
        nn.Linear(args.bands, args.hidden),
        nn.ReLU(),
        nn.Dropout(0.2),
        nn.Linear(args.hidden, 4),
    )
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=args.lr, momentum=0.9, weight_decay=args.weight_decay
    )

    for epoch in range(args.epochs):
        model.train()
        epoch_loss = 0.0
        for spectra_batch, label_batch in train_loader:
            optimizer.zero_grad()
            loss = criterion(model(spectra_batch), label_batch)
            loss.backward()
            optimizer.step()
            epoch_loss += loss.item() * len(label_batch)
        if (epoch + 1) % 4 == 0:
            print(f"epoch {epoch + 1:3d} | loss {epoch_loss / len(train_idx):.4f}")

    print(f"test accuracy {evaluate(model, test_loader):.3f}")


if __name__ == "__main__":
    run(parse_args())

import argparse

import torch
from torch import nn

from digitnet.data import loaders
from digitnet.optim import RowScale


def build():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1),
        nn.GroupNorm(3, 12),
        nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2, padding=1),
        nn.GroupNorm(4, 24),
        nn.ReLU(),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(24 * 16, 10),
    )


@torch.no_grad()
def score(model, loader, loss_fn):
    model.eval()
    loss = hits = n = 0
    for x, y in loader:
        logits = model(x)
        loss += loss_fn(logits, y).item() * len(y)
        hits += (logits.argmax(1) == y).sum().item()
        n += len(y)
    return loss / n, hits / n


def main():
    parser = argparse.ArgumentParser(description="digits with the RowScale optimizer")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=4)
    args = parser.parse_args()
    torch.manual_seed(args.seed)

    train, val, test = loaders(args.batch_size, args.seed)
    model = build()
    optimizer = RowScale(model.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss()

    for epoch in range(1, args.epochs + 1):
        model.train()
        running, n = 0.0, 0
        for x, y in train:
            optimizer.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item() * len(y)
            n += len(y)
        val_loss, val_acc = score(model, val, loss_fn)
        print(f"{epoch:3d}  train {running / n:.4f}  val {val_loss:.4f}  val acc {val_acc:.3f}")

    print("test accuracy %.3f" % score(model, test, loss_fn)[1])


if __name__ == "__main__":
    main()

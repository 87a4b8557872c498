"""Classify tabular points by their distance band, with gradient accumulation over micro-batches."""

import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--micro-batch", type=int, default=20)
    parser.add_argument("--accum", type=int, default=4)
    parser.add_argument("--lr", type=float, default=5e-3)
    parser.add_argument("--seed", type=int, default=11)
    return parser.parse_args()


def make_dataset(n=4000, dim=6):
    x = torch.randn(n, dim)
    radius = x[:, :4].norm(dim=1)
    cuts = torch.quantile(radius, torch.tensor([1 / 3, 2 / 3]))
    return TensorDataset(x, torch.bucketize(radius, cuts))


def evaluate(net, loader):
    net.eval()
    loss_sum, hits, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            logits = net(x)
            loss_sum += F.cross_entropy(logits, y, reduction="sum").item()
            hits += (logits.argmax(dim=1) == y).sum().item()
            n += len(y)
    return loss_sum / n, hits / n


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    train_set, val_set = random_split(make_dataset(), [3000, 1000])
    train_loader = DataLoader(train_set, batch_size=args.micro_batch, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=250)

    net = nn.Sequential(nn.Linear(6, 48), nn.ReLU(), nn.Linear(48, 48), nn.ReLU(), nn.Linear(48, 3))
    optimizer = torch.optim.Adam(net.parameters(), lr=args.lr, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    num_batches = len(train_loader)
    leftover = num_batches % args.accum
    print(f"{num_batches} micro-batches per epoch, {leftover} in the last group")

    for epoch in range(1, args.epochs + 1):
        net.train()
        running = 0.0
        optimizer.zero_grad()
        for i, (x, y) in enumerate(train_loader):
            in_tail = i >= num_batches - leftover
            group_size = leftover if in_tail else args.accum
            loss = F.cross_entropy(net(x), y)
            (loss / group_size).backward()
            running += loss.item()
            if (i + 1) % args.accum == 0 or i + 1 == num_batches:
                optimizer.step()
                optimizer.zero_grad()
        scheduler.step()
        val_loss, val_acc = evaluate(net, val_loader)
        train_loss = running / num_batches
        print(f"epoch {epoch:2d} train {train_loss:.4f} val {val_loss:.4f} acc {val_acc:.3f}")

    print(f"final accuracy {evaluate(net, val_loader)[1]:.3f}")


if __name__ == "__main__":
    main()

"""Usage: python train.py [--epochs N]"""
import argparse

import torch

from leafscan.data import KINDS, loaders
from leafscan.engine import evaluate, train_one_epoch
from leafscan.model import LeafNet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    train, valid, test = loaders(args.batch_size, args.seed)
    model = LeafNet(len(KINDS))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)

    loss, acc = evaluate(model, valid)
    print(f"untrained       valid loss {loss:.4f}  acc {acc:.3f}")
    for epoch in range(1, args.epochs + 1):
        train_loss = train_one_epoch(model, train, optimizer)
        scheduler.step()
        loss, acc = evaluate(model, valid)
        print(f"epoch {epoch:2d}  train loss {train_loss:.4f}  valid loss {loss:.4f}  acc {acc:.3f}")
    loss, acc = evaluate(model, test)
    print(f"test loss {loss:.4f}  test accuracy {acc:.3f}")


if __name__ == "__main__":
    main()

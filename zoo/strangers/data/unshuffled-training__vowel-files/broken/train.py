"""python train.py [--seed 0]   Recognise sung vowels, speakers of val and test are new."""
import argparse
import random
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from data import make_loaders
from model import VowelNet
from synth import VOWELS, write_corpus


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    right = seen = 0
    for clip, label in loader:
        right += (model(clip).argmax(dim=1) == label).sum().item()
        seen += len(label)
    return right / seen


def train_epoch(model, loader, opt):
    model.train()
    loss_sum = seen = 0
    for clip, label in loader:
        opt.zero_grad()
        loss = F.cross_entropy(model(clip), label)
        loss.backward()
        opt.step()
        loss_sum += loss.item() * len(label)
        seen += len(label)
    return loss_sum / seen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=0.02)
    args = parser.parse_args()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    with tempfile.TemporaryDirectory() as tmp:
        root = Path(tmp)
        write_corpus(root, [("train", 0, 40), ("val", 40, 8), ("test", 48, 14)], takes=6, seed=args.seed)
        train, val, test = make_loaders(root, args.batch_size, args.seed)
        print(f"clips: {len(train.dataset)} train, {len(val.dataset)} val, {len(test.dataset)} test")

        model = VowelNet(len(VOWELS))
        opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
        for epoch in range(1, args.epochs + 1):
            loss = train_epoch(model, train, opt)
            print(f"epoch {epoch:2d}  train loss {loss:.4f}  val acc {evaluate(model, val):.3f}")
        print(f"test accuracy {evaluate(model, test):.3f}")


if __name__ == "__main__":
    main()

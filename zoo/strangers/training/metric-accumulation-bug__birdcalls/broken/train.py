import argparse
import copy
import random

import numpy as np
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from meters import Meter, Patience
from net import CallNet
from synth import SPECIES, BirdCalls


def parse():
    p = argparse.ArgumentParser(description="Species classifier for short field recordings")
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=5e-4)
    p.add_argument("--patience", type=int, default=4)
    p.add_argument("--seed", type=int, default=17)
    return p.parse_args()


def train_epoch(model, loader, opt, loss_meter):
    model.train()
    loss_meter.reset()
    for x, y in loader:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        loss_meter.add(loss.item(), len(y))


@torch.no_grad()
def evaluate(model, loader, acc_meter):
    model.eval()
    acc_meter.reset()
    for x, y in loader:
        hits = (model(x).argmax(1) == y).float().mean().item()
        acc_meter.add(hits, len(y))
    return acc_meter.mean


def main():
    args = parse()
    random.seed(args.seed)
    np.random.seed(args.seed)
    torch.manual_seed(args.seed)

    train_dl = DataLoader(BirdCalls(1500, seed=1), batch_size=args.batch_size, shuffle=True)
    val_dl = DataLoader(BirdCalls(500, seed=2), batch_size=256)
    test_dl = DataLoader(BirdCalls(800, seed=3), batch_size=256)

    model = CallNet(len(SPECIES))
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-2)
    train_loss, val_acc = Meter("train loss"), Meter("val acc")
    stopper = Patience(args.patience)
    best = copy.deepcopy(model.state_dict())

    for epoch in range(1, args.epochs + 1):
        train_epoch(model, train_dl, opt, train_loss)
        score = evaluate(model, val_dl, val_acc)
        mark = ""
        if stopper.improved(score):
            best = copy.deepcopy(model.state_dict())
            mark = " *"
        print(f"epoch {epoch:2d}  {train_loss}  {val_acc}{mark}")
        if stopper.exhausted:
            print(f"no improvement for {args.patience} epochs, stopping")
            break

    model.load_state_dict(best)
    print(f"test accuracy {evaluate(model, test_dl, Meter('test acc')):.4f}")


if __name__ == "__main__":
    main()

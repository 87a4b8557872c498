import argparse
import random

import numpy as np
import torch
import torch.nn.functional as F

from jets import Jets, NAMES
from nets import ParticleFlow


def parse():
    p = argparse.ArgumentParser(description="three-way jet tagging on generator-level toys")
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--batch", type=int, default=100)
    p.add_argument("--lr", type=float, default=0.05)
    p.add_argument("--wd", type=float, default=1e-5)
    return p.parse_args()


@torch.no_grad()
def evaluate(net, data, part):
    net.eval()
    confusion = torch.zeros(len(NAMES), len(NAMES))
    nll = 0.0
    for x, m, y in data.batches(part, 1000):
        logits = net(x, m)
        nll += F.cross_entropy(logits, y, reduction="sum").item()
        for t, p in zip(y, logits.argmax(1)):
            confusion[t, p] += 1
    return nll / confusion.sum().item(), (confusion.diag().sum() / confusion.sum()).item(), confusion


def main():
    a = parse()
    random.seed(a.seed)
    np.random.seed(a.seed)
    torch.manual_seed(a.seed)

    data = Jets({"train": 6000, "valid": 1500, "test": 2000}, seed=a.seed)
    net = ParticleFlow(features=4, classes=len(NAMES))
    opt = torch.optim.SGD(net.parameters(), lr=a.lr, momentum=0.9, nesterov=True, weight_decay=a.wd)
    per_epoch = 6000 // a.batch
    lr = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=a.lr, total_steps=a.epochs * per_epoch, pct_start=0.15)
    g = torch.Generator().manual_seed(a.seed)

    for epoch in range(1, a.epochs + 1):
        net.train()
        seen = total = 0.0
        for x, m, y in data.batches("train", a.batch, g):
            loss = F.cross_entropy(net(x, m), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            lr.step()
            total += loss.item() * len(y)
            seen += len(y)
        nll, acc, _ = evaluate(net, data, "valid")
        print(f"epoch {epoch:2d} | train {total / seen:.4f} | valid {nll:.4f} | acc {acc:.3f}")

    nll, acc, confusion = evaluate(net, data, "test")
    print("confusion (rows: truth)")
    for name, row in zip(NAMES, confusion):
        print(f"  {name:>6s}", " ".join(f"{int(v):5d}" for v in row))
    print(f"test nll {nll:.4f}, test accuracy {acc:.4f}")


if __name__ == "__main__":
    main()

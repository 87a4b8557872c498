"""Pretrain on digits 0-5, then adapt to 6-9 from a handful of examples."""
from typing import Iterator, Tuple

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

MICRO, ACCUM = 8, 4


def make_backbone() -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
        nn.Conv2d(24, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(48, 48, 3, padding=1), nn.BatchNorm2d(48), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(),
    )


def batches(x: Tensor, y: Tensor, size: int) -> Iterator[Tuple[Tensor, Tensor]]:
    for idx in torch.randperm(len(x)).split(size):
        if len(idx) == size:
            yield x[idx], y[idx]


def acc(backbone, head, x, y) -> float:
    backbone.eval(), head.eval()
    with torch.inference_mode():
        return (head(backbone(x)).argmax(1) == y).float().mean().item()


def pretrain(backbone, x, y, xv, yv, epochs=6):
    head = nn.Linear(192, 6)
    opt = torch.optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.05, momentum=0.9)
    for e in range(epochs):
        backbone.train(), head.train()
        tot = []
        for xb, yb in batches(x, y, 32):
            opt.zero_grad()
            loss = nn.functional.cross_entropy(head(backbone(xb)), yb)
            loss.backward()
            opt.step()
            tot.append(loss.item())
        print(f"pretrain {e}: loss {np.mean(tot):.4f} held-out {acc(backbone, head, xv, yv):.4f}")


def adapt(backbone, x, y, xv, yv, epochs=24, unfreeze_at=14, warmup=10, lr=0.02):
    head = nn.Linear(192, 4)
    for p in backbone.parameters():
        p.requires_grad = False
    opt = torch.optim.SGD(head.parameters(), lr=lr, momentum=0.9)
    updates = 0
    for e in range(epochs):
        if e == unfreeze_at:
            for p in backbone.parameters():
                p.requires_grad = True
            opt.add_param_group({"params": backbone.parameters(), "lr": lr / 20})
        head.train()
        backbone.eval()
        tot = []
        opt.zero_grad()
        for i, (xb, yb) in enumerate(batches(x, y, MICRO)):
            loss = nn.functional.cross_entropy(head(backbone(xb)), yb)
            (loss / ACCUM).backward()
            tot.append(loss.item())
            if (i + 1) % ACCUM == 0:
                if updates < warmup:
                    opt.param_groups[0]["lr"] = lr * (updates + 1) / warmup
                opt.step()
                opt.zero_grad()
                updates += 1
        if e % 3 == 2 or e == unfreeze_at:
            tag = "head only" if e < unfreeze_at else "all layers"
            print(f"adapt {e:2d} [{tag:10s}] updates {updates:3d} loss {np.mean(tot):.4f} "
                  f"held-out {acc(backbone, head, xv, yv):.4f}")
    return acc(backbone, head, xv, yv)


def main():
    torch.manual_seed(77)
    rng = np.random.default_rng(77)
    data, target = load_digits(return_X_y=True)
    order = rng.permutation(len(target))
    data = torch.tensor(data[order] / 8.0 - 1.0, dtype=torch.float32).view(-1, 1, 8, 8)
    target = torch.tensor(target[order])
    old, new = target < 6, target >= 6
    xo, yo = data[old], target[old]
    xn, yn = data[new], target[new] - 6

    backbone = make_backbone()
    pretrain(backbone, xo[:800], yo[:800], xo[800:], yo[800:])
    final = adapt(backbone, xn[:192], yn[:192], xn[192:], yn[192:])
    print(f"accuracy on {len(xn) - 192} unseen new-class digits after adapting on 192: {final:.4f}")


if __name__ == "__main__":
    main()

"""Grade the contrast of simulated ultrasound patches (4 grades)."""
import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch
from torch import nn


def get_args(argv=None):
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=13)
    p.add_argument("--micro-batch", type=int, default=1, help="examples per forward pass")
    p.add_argument("--accumulate", type=int, default=16, help="forward passes per optimizer step")
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--seed", type=int, default=10)
    return p.parse_args(argv)


def patches(n, rng, size=16):
    grade = rng.permutation(np.arange(n) % 4)
    raw = rng.normal(size=(n, size + 2, size + 2))
    tex = sum(raw[:, i:i + size, j:j + size] for i in range(3) for j in range(3)) / 3
    level = np.array([0.45, 0.75, 1.15, 1.7])[grade] * rng.uniform(0.93, 1.07, n)
    x = tex * level[:, None, None] + 0.1 * rng.normal(size=tex.shape)
    return torch.tensor(x, dtype=torch.float32).unsqueeze(1), torch.tensor(grade)


class PatchNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        )
        self.classify = nn.Linear(16, 4)

    def forward(self, x):
        return self.classify(self.features(x).mean((2, 3)))


def train_epoch(model, x, y, opt, loss_fn, args):
    model.train()
    total = 0.0
    micro = torch.randperm(len(x)).split(args.micro_batch)
    opt.zero_grad()
    for k, idx in enumerate(micro, start=1):
        loss = loss_fn(model(x[idx]), y[idx])
        (loss / args.accumulate).backward()
        total += loss.item() * len(idx)
        if k % args.accumulate == 0:
            opt.step()
            opt.zero_grad()
    return total / len(x)


@torch.no_grad()
def evaluate(model, x, y, loss_fn):
    model.eval()
    logits = model(x)
    return loss_fn(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    x, y = patches(960, rng)
    xv, yv = patches(240, rng)
    xt, yt = patches(480, rng)
    mean, std = x.mean(), x.std()
    x, xv, xt = [(a - mean) / std for a in (x, xv, xt)]
    assert len(x) % (args.micro_batch * args.accumulate) == 0

    model = PatchNet()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(args.epochs):
        train_loss = train_epoch(model, x, y, opt, loss_fn, args)
        val_loss, val_acc = evaluate(model, xv, yv, loss_fn)
        print(f"epoch {epoch}: train loss {train_loss:.4f}, val loss {val_loss:.4f}, val acc {val_acc:.3f}")
    print(f"test accuracy: {evaluate(model, xt, yt, loss_fn)[1]:.3f}")


if __name__ == "__main__":
    main()

"""Masked-pixel pretraining on unlabelled digits, then head warm-up, then full fine-tuning."""
import argparse
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split


def get_data(seed):
    X, y = load_digits(return_X_y=True)
    Xtr, Xte, ytr, yte = train_test_split(X.astype(np.float32), y, test_size=0.25, stratify=y, random_state=seed)
    mu, sd = Xtr.mean(), Xtr.std()
    t = lambda a: torch.from_numpy((a - mu) / sd).view(-1, 1, 8, 8)
    return t(Xtr), torch.from_numpy(ytr), t(Xte), torch.from_numpy(yte)


class Encoder(nn.Module):
    def __init__(self, c=24, d=16):
        super().__init__()
        self.c1 = nn.Conv2d(1, c, 3, padding=1)
        self.c2 = nn.Conv2d(c, c, 3, padding=1, stride=2)
        self.c3 = nn.Conv2d(c, 2 * c, 3, padding=1, stride=2)
        self.proj = nn.Linear(2 * c * 4, d)

    def forward(self, x):
        x = F.gelu(self.c1(x))
        x = F.gelu(self.c2(x))
        x = F.gelu(self.c3(x))
        return self.proj(x.flatten(1))


class Net(nn.Module):
    def __init__(self, d=16, classes=10):
        super().__init__()
        self.encoder = Encoder(d=d)
        self.decoder = nn.Sequential(nn.Linear(d, 96), nn.GELU(), nn.Linear(96, 64))
        self.head = nn.Linear(d, classes)

    def reconstruct(self, x):
        return self.decoder(self.encoder(x)).view_as(x)

    def forward(self, x):
        return self.head(self.encoder(x))


def batches(n, bs, g):
    perm = torch.randperm(n, generator=g)
    for i in range(0, n - bs + 1, bs):
        yield perm[i:i + bs]


def pretrain(net, x, args, g):
    params = [*net.encoder.parameters(), *net.decoder.parameters()]
    opt = torch.optim.AdamW(params, lr=args.lr)
    for ep in range(args.pre_epochs):
        tot = n = 0
        for idx in batches(len(x), args.bs, g):
            xb = x[idx]
            keep = (torch.rand(xb.shape, generator=g) > args.mask).float()
            err = (net.reconstruct(xb * keep) - xb).square() * (1 - keep)
            loss = err.sum() / (1 - keep).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot, n = tot + loss.item(), n + 1
        print(f"[pre]  ep {ep:2d} masked mse {tot / n:.4f}")


@torch.no_grad()
def score(net, x, y):
    net.eval()
    z = net(x)
    net.train()
    return F.cross_entropy(z, y).item(), (z.argmax(1) == y).float().mean().item()


def finetune(net, xtr, ytr, xte, yte, args, g):
    net.encoder.requires_grad_(False)
    params = [*net.encoder.parameters(), *net.head.parameters()]
    opt = torch.optim.AdamW(params, lr=args.lr, weight_decay=0.05)
    spe = len(xtr) // args.bs
    total = args.epochs * spe
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 0.5 * (1 + math.cos(math.pi * min(1.0, s / total))) + 1e-3)
    for ep in range(args.epochs):
        if ep == args.unfreeze_at:
            net.encoder.requires_grad = True
            print("[fine] encoder joins in")
        tot = n = 0
        for idx in batches(len(xtr), args.bs, g):
            loss = F.cross_entropy(net(xtr[idx]), ytr[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            tot, n = tot + loss.item(), n + 1
        vl, va = score(net, xte, yte)
        print(f"[fine] ep {ep:2d} train {tot / n:.4f} held-out {vl:.4f} acc {va:.3f}")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--seed", type=int, default=3)
    ap.add_argument("--bs", type=int, default=64)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--mask", type=float, default=0.5)
    ap.add_argument("--pre-epochs", type=int, default=10)
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--unfreeze-at", type=int, default=2)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    g = torch.Generator().manual_seed(args.seed)
    xtr, ytr, xte, yte = get_data(args.seed)
    net = Net()
    pretrain(net, xtr, args, g)
    finetune(net, xtr, ytr, xte, yte, args, g)


if __name__ == "__main__":
    main()

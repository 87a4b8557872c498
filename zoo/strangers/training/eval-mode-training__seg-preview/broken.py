#!/usr/bin/env python
# nuclei-like segmentation, 32x32 crops; writes ascii previews to the run dir while training
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

RUN_DIR = tempfile.mkdtemp(prefix="nuclei_")
EPOCHS, BS, LR = 6, 16, 0.1


def fake_tissue(n, seed):
    r = np.random.RandomState(seed)
    yy, xx = np.mgrid[:32, :32]
    X = np.zeros((n, 1, 32, 32), np.float32)
    M = np.zeros((n, 1, 32, 32), np.float32)
    for k in range(n):
        for _ in range(r.randint(2, 6)):
            cy, cx = r.uniform(3, 29, 2)
            a, b = r.uniform(2, 5, 2)
            th = r.uniform(0, np.pi)
            u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
            v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
            M[k, 0][(u / a) ** 2 + (v / b) ** 2 < 1] = 1
        stain = r.uniform(0.5, 1.1) * M[k, 0]
        glow = r.uniform(-1, 1) * xx / 32 + r.uniform(-1, 1) * yy / 32
        X[k, 0] = stain + glow + 0.35 * r.randn(32, 32)
    return torch.from_numpy(X), torch.from_numpy(M)


def block(i, o):
    return nn.Sequential(
        nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
        nn.Conv2d(o, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(inplace=True),
    )


class MiniUNet(nn.Module):
    def __init__(self, w=6):
        super().__init__()
        self.d1, self.d2, self.mid = block(1, w), block(w, 2 * w), block(2 * w, 4 * w)
        self.u2, self.u1 = block(6 * w, 2 * w), block(3 * w, w)
        self.drop = nn.Dropout2d(0.1)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.drop(self.mid(F.max_pool2d(b, 2)))
        y = self.u2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        y = self.u1(torch.cat([F.interpolate(y, scale_factor=2), a], 1))
        return self.out(y)


def dice(logits, m):
    p = (logits > 0).float()
    inter = (p * m).sum((1, 2, 3))
    return ((2 * inter + 1) / (p.sum((1, 2, 3)) + m.sum((1, 2, 3)) + 1)).mean().item()


def criterion(logits, m):
    p = torch.sigmoid(logits)
    soft = 1 - (2 * (p * m).sum() + 1) / (p.sum() + m.sum() + 1)
    return F.binary_cross_entropy_with_logits(logits, m) + soft


def dump_preview(net, img, path):
    net.eval()
    with torch.no_grad():
        mask = torch.sigmoid(net(img[None]))[0, 0]
    with open(path, "w") as fh:
        for row in mask:
            fh.write("".join(" .:*#"[min(4, int(v * 5))] for v in row.tolist()) + "\n")


@torch.no_grad()
def validate(net, X, M):
    net.eval()
    logits = torch.cat([net(b) for b in X.split(64)])
    return F.binary_cross_entropy_with_logits(logits, M).item(), dice(logits, M)


def train_epoch(net, opt, X, M, epoch, example):
    net.train()
    losses = []
    for it, idx in enumerate(torch.randperm(len(X)).split(BS)):
        loss = criterion(net(X[idx]), M[idx])
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
        if it % 10 == 0:
            dump_preview(net, example, os.path.join(RUN_DIR, f"e{epoch:02d}_{it:03d}.txt"))
    return float(np.mean(losses))


def main():
    torch.manual_seed(1)
    X, M = fake_tissue(320, 0)
    Xv, Mv = fake_tissue(80, 1)
    mu, sd = X.mean(), X.std()
    X, Xv = (X - mu) / sd, (Xv - mu) / sd
    net = MiniUNet()
    opt = torch.optim.SGD(net.parameters(), lr=LR, momentum=0.9, nesterov=True, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
    for epoch in range(EPOCHS):
        tr = train_epoch(net, opt, X, M, epoch, Xv[0])
        sched.step()
        bce, d = validate(net, Xv, Mv)
        print(f"{epoch:2d} | train {tr:.3f} | val bce {bce:.3f} | val dice {d:.3f}")
    print("previews in", RUN_DIR)


main()

"""Nucleus segmentation on synthetic fluorescence crops. Tiny U-Net, focal loss, callbacks."""
import json
import os
import tempfile

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


# --------------------------------------------------------------------------- data
def make_crops(n, size=32, seed=0):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:size, 0:size]
    imgs, masks = [], []
    for _ in range(n):
        img = rng.normal(0.2, 0.12, (size, size)) + 0.15 * xx / size
        mask = np.zeros((size, size), bool)
        for _ in range(rng.integers(2, 5)):
            cx, cy = rng.uniform(5, size - 5, 2)
            a, b, th = rng.uniform(3, 6), rng.uniform(2.5, 5), rng.uniform(0, np.pi)
            u = (xx - cx) * np.cos(th) + (yy - cy) * np.sin(th)
            v = -(xx - cx) * np.sin(th) + (yy - cy) * np.cos(th)
            cell = (u / a) ** 2 + (v / b) ** 2 < 1
            mask |= cell
            img[cell] += rng.uniform(0.2, 0.45)
        imgs.append(img)
        masks.append(mask)
    x = torch.tensor(np.stack(imgs), dtype=torch.float32).unsqueeze(1)
    y = torch.tensor(np.stack(masks), dtype=torch.float32).unsqueeze(1)
    return (x - 0.35) / 0.25, y


# --------------------------------------------------------------------------- model
def conv(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.ReLU())


class TinyUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.e1, self.e2, self.mid = conv(1, c), conv(c, 2 * c), conv(2 * c, 4 * c)
        self.d2, self.d1 = conv(6 * c, 2 * c), conv(3 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.e1(x)
        b = self.e2(F.max_pool2d(a, 2))
        m = self.mid(F.max_pool2d(b, 2))
        b = self.d2(torch.cat([F.interpolate(m, scale_factor=2), b], 1))
        a = self.d1(torch.cat([F.interpolate(b, scale_factor=2), a], 1))
        return self.out(a)


class FocalLoss(nn.Module):
    def __init__(self, gamma=1.5, alpha=0.6):
        super().__init__()
        self.gamma, self.alpha = gamma, alpha

    def forward(self, logits, target):
        ce = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
        p_t = torch.exp(-ce)
        weight = self.alpha * target + (1 - self.alpha) * (1 - target)
        per_pixel = weight * (1 - p_t) ** self.gamma * ce
        return per_pixel.sum(dim=(1, 2, 3)).mean()


# --------------------------------------------------------------------------- training
class History:
    def __init__(self, path):
        self.path, self.rows = path, []

    def __call__(self, **row):
        self.rows.append(row)
        with open(self.path, "w") as fh:
            json.dump(self.rows, fh)


class Fitter:
    def __init__(self, model, loss, lr, epochs, batch, callbacks=()):
        self.model, self.loss, self.epochs, self.batch = model, loss, epochs, batch
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, nesterov=True)
        self.sched = torch.optim.lr_scheduler.MultiStepLR(self.opt, [int(epochs * 0.7)], gamma=0.2)
        self.callbacks = callbacks

    def fit(self, x, y, x_val, y_val):
        for epoch in range(self.epochs):
            self.model.train()
            total = 0.0
            for idx in torch.randperm(len(x)).split(self.batch):
                loss = self.loss(self.model(x[idx]), y[idx])
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() * len(idx)
            self.sched.step()
            dice = self.dice(x_val, y_val)
            for cb in self.callbacks:
                cb(epoch=epoch, loss=total / len(x), dice=dice)

    @torch.no_grad()
    def dice(self, x, y):
        self.model.eval()
        hat = (torch.sigmoid(self.model(x)) > 0.5).float()
        return (2 * (hat * y).sum() / (hat.sum() + y.sum()).clamp(min=1)).item()


def main():
    torch.manual_seed(5)
    x, y = make_crops(320, seed=1)
    x_val, y_val = make_crops(80, seed=2)
    with tempfile.TemporaryDirectory() as d:
        log = os.path.join(d, "history.json")
        fitter = Fitter(TinyUNet(), FocalLoss(), lr=0.2, epochs=10, batch=16, callbacks=[History(log)])
        fitter.fit(x, y, x_val, y_val)
        rows = json.load(open(log))
    print("loss ", " ".join(f"{r['loss']:.3g}" for r in rows))
    print("dice ", " ".join(f"{r['dice']:.3f}" for r in rows))


if __name__ == "__main__":
    main()

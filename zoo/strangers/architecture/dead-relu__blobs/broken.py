"""Find bright cells in noisy micrographs: per-pixel foreground probability with a small conv net."""
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Cells(Dataset):
    def __init__(self, count, size, seed):
        rng = np.random.default_rng(seed)
        yy, xx = np.mgrid[0:size, 0:size]
        self.images = np.empty((count, 1, size, size), np.float32)
        self.masks = np.zeros((count, 1, size, size), np.float32)
        for i in range(count):
            for _ in range(rng.integers(2, 5)):
                cy, cx, r = rng.uniform(3, size - 3), rng.uniform(3, size - 3), rng.uniform(2.4, 3.6)
                self.masks[i, 0][(yy - cy) ** 2 + (xx - cx) ** 2 < r * r] = 1.0
            shade = rng.uniform(-0.5, 0.5) * xx / size
            self.images[i, 0] = self.masks[i, 0] + shade + 0.6 * rng.standard_normal((size, size))

    def standardise(self, mean, std):
        self.images = (self.images - mean) / std
        return self

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i]), torch.from_numpy(self.masks[i])


class CellNet(nn.Module):
    def __init__(self, width=12, prior=0.05):
        super().__init__()
        self.c1 = nn.Conv2d(1, width, 3, padding=1)
        self.c2 = nn.Conv2d(width, width, 3, padding=2, dilation=2)
        self.c3 = nn.Conv2d(width, width, 3, padding=2, dilation=2)
        self.head = nn.Conv2d(width, 1, 1)
        self.reset_parameters(prior)

    def reset_parameters(self, prior):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
                # foreground is rare: start with a low probability, as in RetinaNet
                nn.init.constant_(m.bias, -math.log((1 - prior) / prior))
        nn.init.normal_(self.head.weight, std=0.05)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        x = F.relu(self.c3(x))
        return self.head(x)


def dice(prob, mask):
    hard = (prob > 0.5).float()
    inter = (hard * mask).sum()
    return (2 * inter / (hard.sum() + mask.sum()).clamp(min=1)).item()


def test(net, loader):
    net.eval()
    logits, masks = [], []
    with torch.no_grad():
        for x, m in loader:
            logits.append(net(x))
            masks.append(m)
    logits, masks = torch.cat(logits), torch.cat(masks)
    return F.binary_cross_entropy_with_logits(logits, masks).item(), dice(torch.sigmoid(logits), masks)


def main():
    torch.manual_seed(21)
    size = 24
    train, val, held = Cells(480, size, 1), Cells(120, size, 2), Cells(120, size, 3)
    mean, std = train.images.mean(), train.images.std()
    for part in (train, val, held):
        part.standardise(mean, std)
    share = float(train.masks.mean())
    print(f"foreground share {share:.3f}")

    train_loader = DataLoader(train, batch_size=16, shuffle=True)
    val_loader, held_loader = DataLoader(val, batch_size=60), DataLoader(held, batch_size=60)

    net = CellNet()
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    epochs = 12
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs)
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for x, m in train_loader:
            opt.zero_grad()
            loss = F.binary_cross_entropy_with_logits(net(x), m)
            loss.backward()
            opt.step()
            total += loss.item() * len(x)
        sched.step()
        vl, vd = test(net, val_loader)
        print(f"epoch {epoch:2d}  train {total / len(train):.4f}  val {vl:.4f}  val dice {vd:.3f}")
    hl, hd = test(net, held_loader)
    print(f"held-out loss {hl:.4f}  dice {hd:.3f}")


if __name__ == "__main__":
    main()

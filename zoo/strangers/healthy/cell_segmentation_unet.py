"""Segmentation of synthetic cell images: a little U-Net, BCE + soft Dice, bf16 autocast and an averaged copy for evaluation."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset

SIZE = 32


def draw(n, seed):
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[:SIZE, :SIZE]
    images = np.empty((n, 1, SIZE, SIZE), dtype=np.float32)
    masks = np.zeros((n, 1, SIZE, SIZE), dtype=np.float32)
    for i in range(n):
        img = rng.normal(0.3, 0.12, size=(SIZE, SIZE)) + 0.15 * np.sin(xx / rng.uniform(3, 9) + rng.uniform(0, 6))
        for _ in range(rng.integers(2, 5)):
            cy, cx = rng.uniform(4, SIZE - 4, size=2)
            ry, rx = rng.uniform(2.5, 6, size=2)
            inside = ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1
            img[inside] += rng.uniform(0.25, 0.5)
            masks[i, 0][inside] = 1.0
        images[i, 0] = img
    return torch.from_numpy(images), torch.from_numpy(masks)


def double(c_in, c_out):
    return nn.Sequential(
        nn.Conv2d(c_in, c_out, 3, padding=1), nn.GroupNorm(4, c_out), nn.ReLU(),
        nn.Conv2d(c_out, c_out, 3, padding=1), nn.GroupNorm(4, c_out), nn.ReLU(),
    )


class TinyUNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.d1, self.d2, self.mid = double(1, w), double(w, 2 * w), double(2 * w, 4 * w)
        self.up2 = nn.ConvTranspose2d(4 * w, 2 * w, 2, stride=2)
        self.u2 = double(4 * w, 2 * w)
        self.up1 = nn.ConvTranspose2d(2 * w, w, 2, stride=2)
        self.u1 = double(2 * w, w)
        self.out = nn.Conv2d(w, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        b = self.u2(torch.cat([self.up2(c), b], dim=1))
        a = self.u1(torch.cat([self.up1(b), a], dim=1))
        return self.out(a)


def soft_dice(logits, target, eps=1.0):
    p = torch.sigmoid(logits)
    inter = (p * target).sum((1, 2, 3))
    return (1 - (2 * inter + eps) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + eps)).mean()


def flip_some(x, m):
    for dim in (2, 3):
        pick = (torch.rand(len(x)) < 0.5)[:, None, None, None]
        x, m = torch.where(pick, x.flip(dim), x), torch.where(pick, m.flip(dim), m)
    return x, m


@torch.no_grad()
def iou(net, loader):
    net.eval()
    inter = union = 0.0
    for x, m in loader:
        guess, truth = torch.sigmoid(net(x)) > 0.5, m > 0.5
        inter += (guess & truth).sum().item()
        union += (guess | truth).sum().item()
    return inter / union


def main():
    torch.manual_seed(9)
    splits = [draw(320, 1), draw(80, 2), draw(160, 3)]
    mean, std = splits[0][0].mean(), splits[0][0].std()
    train_set, val_set, test_set = (TensorDataset((x - mean) / std, m) for x, m in splits)
    train = DataLoader(train_set, batch_size=16, shuffle=True)
    val, test = DataLoader(val_set, batch_size=80), DataLoader(test_set, batch_size=80)

    net = TinyUNet()
    averaged = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.97))
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-3)
    epochs = 12
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs * len(train))
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for x, m in train:
            x, m = flip_some(x, m)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits = net(x)
            logits = logits.float()
            loss = F.binary_cross_entropy_with_logits(logits, m) + soft_dice(logits, m)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            averaged.update_parameters(net)
            total += loss.item() * len(x)
        print(f"epoch {epoch:2d} loss {total / len(train_set):.4f} val IoU {iou(averaged, val):.3f}")
    print(f"test IoU {iou(averaged, test):.3f}")


if __name__ == "__main__":
    main()

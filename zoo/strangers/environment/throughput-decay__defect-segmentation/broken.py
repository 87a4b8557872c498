import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_plates(n, size, rng):
    """Grey metal plates with brighter or darker blemishes; the mask marks the blemish."""
    yy, xx = np.mgrid[0:size, 0:size]
    images = np.zeros((n, 1, size, size), dtype=np.float32)
    masks = np.zeros((n, 1, size, size), dtype=np.float32)
    for i in range(n):
        img = rng.normal(0, 0.35, (size, size)) + 0.5 * np.sin(xx / rng.uniform(2, 5) + rng.uniform(0, 6))
        for _ in range(rng.integers(1, 4)):
            cy, cx = rng.uniform(4, size - 4, 2)
            ry, rx = rng.uniform(2, 6, 2)
            blob = ((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1
            img[blob] += 1.5
            masks[i, 0][blob] = 1.0
        images[i, 0] = img
    images = (images - images.mean((2, 3), keepdims=True)) / images.std((2, 3), keepdims=True)
    return torch.from_numpy(images), torch.from_numpy(masks)


class ConvBlock(nn.Module):
    def __init__(self, c_in, c_out):
        super().__init__()
        self.conv = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.norm = nn.GroupNorm(4, c_out)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))


class TinyUNet(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.down1 = ConvBlock(1, width)
        self.down2 = ConvBlock(width, 2 * width)
        self.mid = ConvBlock(2 * width, 2 * width)
        self.up2 = ConvBlock(4 * width, width)
        self.up1 = ConvBlock(2 * width, width)
        self.head = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        b = self.up2(torch.cat([F.interpolate(c, scale_factor=2), b], dim=1))
        a = self.up1(torch.cat([F.interpolate(b, scale_factor=2), a], dim=1))
        return self.head(a)


def dice_bce(logits, target):
    p = torch.sigmoid(logits)
    inter = (p * target).sum((1, 2, 3))
    dice = 1 - (2 * inter + 1) / (p.sum((1, 2, 3)) + target.sum((1, 2, 3)) + 1)
    return dice.mean() + F.binary_cross_entropy_with_logits(logits, target)


class ActivationMonitor:
    """Collects mean, spread and share of silent units for every block."""

    def __init__(self, model):
        self.model = model
        self.rows = {}
        self.handles = []

    def _recorder(self, name):
        def hook(module, inputs, output):
            out = output.detach()
            self.rows[name] = (out.mean().item(), out.std().item(), (out == 0).float().mean().item())
        return hook

    def attach(self):
        for name, module in self.model.named_modules():
            if isinstance(module, ConvBlock):
                self.handles.append(module.register_forward_hook(self._recorder(name)))

    def detach(self):
        for handle in self.handles:
            handle.remove()
        self.handles.clear()

    def summary(self):
        return " ".join(f"{name}={silent:.2f}" for name, (_, _, silent) in self.rows.items())


class SegTrainer:
    def __init__(self, model, train, valid, batch_size=8, lr=2e-3):
        self.model, self.train_set, self.valid_set = model, train, valid
        self.batch_size = batch_size
        self.opt = torch.optim.RMSprop(model.parameters(), lr=lr, alpha=0.95)
        self.monitor = ActivationMonitor(model)
        self.step_no = 0

    def batches(self):
        x, y = self.train_set
        while True:
            for ids in torch.randperm(len(x)).split(self.batch_size):
                yield x[ids], y[ids]

    @torch.no_grad()
    def iou(self):
        self.model.eval()
        x, y = self.valid_set
        pred = torch.cat([self.model(part) for part in x.split(64)]) > 0
        truth = y > 0.5
        inter = (pred & truth).sum((1, 2, 3)).float()
        union = (pred | truth).sum((1, 2, 3)).float()
        return (inter / union.clamp(min=1)).mean().item()

    def fit(self, steps, log_every=20, report_every=100):
        stream = self.batches()
        clock, total = 0.0, 0.0
        for self.step_no in range(1, steps + 1):
            x, y = next(stream)
            began = time.perf_counter()
            self.model.train()
            look = self.step_no % log_every == 0
            if look:
                self.monitor.attach()
            loss = dice_bce(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            clock += time.perf_counter() - began
            total += loss.item()
            if self.step_no % report_every == 0:
                print(f"step {self.step_no:4d}  loss {total / report_every:.3f}  iou {self.iou():.3f}  "
                      f"{1000 * clock / report_every:.1f} ms/step  silent {self.monitor.summary()}")
                clock, total = 0.0, 0.0


def main():
    torch.manual_seed(8)
    rng = np.random.default_rng(8)
    train = make_plates(400, 24, rng)
    valid = make_plates(128, 24, rng)
    trainer = SegTrainer(TinyUNet(), train, valid)
    for group in trainer.opt.param_groups:
        print(f"{sum(p.numel() for p in group['params'])} parameters, lr {group['lr']}")
    began = time.perf_counter()
    trainer.fit(800)
    print(f"validation IoU {trainer.iou():.3f} after {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main()

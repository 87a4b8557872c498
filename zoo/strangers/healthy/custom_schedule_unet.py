"""1-D U-Net for sleep-stage-like signals, with a hand-written schedule, accumulation and an averaged model."""
import copy
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

LENGTH, CLASSES = 192, 3


def night(rng):
    """Signal made of stretches: 0 = slow waves, 1 = spindles, 2 = irregular."""
    x, y = np.zeros(LENGTH), np.zeros(LENGTH, dtype=np.int64)
    pos, stage = 0, int(rng.integers(CLASSES))
    while pos < LENGTH:
        n = min(int(rng.integers(24, 64)), LENGTH - pos)
        t = np.arange(n)
        if stage == 0:
            seg = 1.3 * np.sin(2 * np.pi * t / rng.uniform(14, 20) + rng.uniform(0, 6.3))
        elif stage == 1:
            seg = 1.3 * np.sin(2 * np.pi * t / rng.uniform(4, 6) + rng.uniform(0, 6.3))
        else:
            seg = 0.9 * rng.standard_normal(n)
        x[pos:pos + n], y[pos:pos + n] = seg, stage
        pos += n
        stage = (stage + int(rng.integers(1, CLASSES))) % CLASSES
    return x + 0.3 * rng.standard_normal(LENGTH), y


def nights(n, seed):
    rng = np.random.default_rng(seed)
    xs, ys = zip(*(night(rng) for _ in range(n)))
    return torch.tensor(np.stack(xs), dtype=torch.float32).unsqueeze(1), torch.tensor(np.stack(ys))


def double_conv(a, b):
    return nn.Sequential(nn.Conv1d(a, b, 7, padding=3), nn.GroupNorm(4, b), nn.ReLU(),
                         nn.Conv1d(b, b, 7, padding=3), nn.GroupNorm(4, b), nn.ReLU())


class UNet1d(nn.Module):
    def __init__(self, w=12):
        super().__init__()
        self.d1, self.d2, self.mid = double_conv(1, w), double_conv(w, 2 * w), double_conv(2 * w, 2 * w)
        self.u2, self.u1 = double_conv(4 * w, w), double_conv(2 * w, w)
        self.last = nn.Conv1d(w, CLASSES, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool1d(a, 2))
        c = self.mid(F.max_pool1d(b, 2))
        c = self.u2(torch.cat([F.interpolate(c, scale_factor=2), b], 1))
        c = self.u1(torch.cat([F.interpolate(c, scale_factor=2), a], 1))
        return self.last(c)


class WarmThenCosine:
    """Call .tick() once after every optimizer step."""

    def __init__(self, optimizer, peak, warm, total, floor=1e-5):
        self.optimizer, self.peak, self.warm, self.total, self.floor = optimizer, peak, warm, total, floor
        self.t = 0
        self._apply()

    def rate(self):
        if self.t < self.warm:
            return self.peak * (self.t + 1) / self.warm
        done = (self.t - self.warm) / max(1, self.total - self.warm)
        return self.floor + 0.5 * (self.peak - self.floor) * (1 + math.cos(math.pi * min(1.0, done)))

    def _apply(self):
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()

    def tick(self):
        self.t += 1
        self._apply()


class Averaged:
    def __init__(self, model, keep):
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.keep = keep

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.model.parameters(), model.parameters()):
            slow.mul_(self.keep).add_(fast, alpha=1 - self.keep)


@torch.no_grad()
def mean_iou(model, data):
    model.eval()
    pred = model(data.tensors[0]).argmax(1)
    true = data.tensors[1]
    inter = torch.stack([((pred == c) & (true == c)).sum() for c in range(CLASSES)]).float()
    union = torch.stack([((pred == c) | (true == c)).sum() for c in range(CLASSES)]).float()
    return (inter / union).mean().item()


def main(epochs=6, micro=16, accumulate=2, seed=0):
    torch.manual_seed(seed)
    train, valid, test = (TensorDataset(*nights(n, s)) for n, s in ((800, 1), (160, 2), (160, 3)))
    loader = DataLoader(train, batch_size=micro, shuffle=True, drop_last=True)
    updates = epochs * math.ceil(len(loader) / accumulate)
    net = UNet1d()
    opt = torch.optim.AdamW(net.parameters(), lr=0.0, weight_decay=1e-3)     # the rate is set by the schedule
    plan = WarmThenCosine(opt, peak=4e-3, warm=20, total=updates)
    ema = Averaged(net, keep=0.97)
    for epoch in range(epochs):
        net.train()
        opt.zero_grad()
        total = 0.0
        for i, (x, y) in enumerate(loader, start=1):
            loss = F.cross_entropy(net(x), y)
            (loss / accumulate).backward()
            total += loss.item()
            if i % accumulate == 0 or i == len(loader):
                opt.step()
                opt.zero_grad()
                plan.tick()
                ema.update(net)
        print(f"epoch {epoch}  loss {total / len(loader):.4f}  lr {plan.rate():.5f}  valid mIoU {mean_iou(ema.model, valid):.3f}")
    print(f"held-out mean IoU {mean_iou(ema.model, test):.3f}")


if __name__ == "__main__":
    main()

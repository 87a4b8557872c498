"""Single-object localisation: regress (cx, cy, w, h) of a rectangle in a cluttered 32x32 frame."""
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

ACTIVATIONS = {
    "relu": nn.ReLU,
    "gelu": nn.GELU,
    "silu": nn.SiLU,
    "none": nn.Identity,
}


@dataclass
class NetConfig:
    channels: tuple = (16, 32, 48)
    activation: str = "GELU"
    hidden: int = 96


@dataclass
class RunConfig:
    seed: int = 42
    n_train: int = 3200
    n_val: int = 600
    n_test: int = 800
    size: int = 32
    epochs: int = 10
    batch: int = 100
    lr: float = 2e-3
    net: NetConfig = field(default_factory=NetConfig)


def pick_activation(name: str) -> nn.Module:
    return ACTIVATIONS.get(name, nn.Identity)()


def render(n: int, size: int, rng: np.random.Generator):
    img = rng.normal(0.0, 0.25, (n, 1, size, size)).astype(np.float32)
    box = np.zeros((n, 4), np.float32)
    for i in range(n):
        w, h = rng.integers(7, 15, 2)
        x0, y0 = rng.integers(0, size - w), rng.integers(0, size - h)
        polarity = rng.choice([-1.0, 1.0])
        img[i, 0, y0:y0 + h, x0:x0 + w] += polarity * rng.uniform(0.9, 1.6)
        for _ in range(3):
            px, py = rng.integers(0, size - 1, 2)
            img[i, 0, py:py + 2, px:px + 2] += rng.choice([-1.2, 1.2])
        box[i] = ((x0 + w / 2) / size, (y0 + h / 2) / size, w / size, h / size)
    return torch.from_numpy(img), torch.from_numpy(box)


class BoxNet(nn.Module):
    def __init__(self, cfg: NetConfig, size: int):
        super().__init__()
        layers, c_in = [], 1
        for c in cfg.channels:
            layers += [nn.Conv2d(c_in, c, 3, stride=2, padding=1), pick_activation(cfg.activation)]
            c_in = c
        self.features = nn.Sequential(*layers)
        side = size // 2 ** len(cfg.channels)
        self.regressor = nn.Sequential(
            nn.Flatten(),
            nn.Linear(c_in * side * side, cfg.hidden),
            pick_activation(cfg.activation),
            nn.Linear(cfg.hidden, 4),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.regressor(self.features(x))


def corners(b: Tensor) -> Tensor:
    c, half = b[:, :2], b[:, 2:].clamp(min=0) / 2
    return torch.cat([c - half, c + half], dim=1)


def iou(a: Tensor, b: Tensor) -> Tensor:
    a, b = corners(a), corners(b)
    inter = (torch.min(a[:, 2:], b[:, 2:]) - torch.max(a[:, :2], b[:, :2])).clamp(min=0).prod(1)
    area = lambda t: (t[:, 2:] - t[:, :2]).prod(1)
    return inter / (area(a) + area(b) - inter + 1e-9)


@torch.no_grad()
def mean_iou(model: nn.Module, x: Tensor, y: Tensor) -> float:
    model.eval()
    return iou(torch.cat([model(c) for c in x.split(256)]), y).mean().item()


def main(cfg: RunConfig = RunConfig()) -> None:
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    xtr, ytr = render(cfg.n_train, cfg.size, rng)
    xva, yva = render(cfg.n_val, cfg.size, rng)
    xte, yte = render(cfg.n_test, cfg.size, rng)
    mean, std = xtr.mean(), xtr.std()
    xtr, xva, xte = [(t - mean) / std for t in (xtr, xva, xte)]

    model = BoxNet(cfg.net, cfg.size)
    print(sum(p.numel() for p in model.parameters()), "parameters")
    optim = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, cfg.epochs)
    for epoch in range(cfg.epochs):
        model.train()
        acc = 0.0
        for idx in torch.randperm(cfg.n_train).split(cfg.batch):
            loss = F.smooth_l1_loss(model(xtr[idx]), ytr[idx], beta=0.05)
            optim.zero_grad()
            loss.backward()
            optim.step()
            acc += loss.item() * len(idx)
        sched.step()
        print(f"{epoch + 1:>2}/{cfg.epochs} loss {acc / cfg.n_train:.5f} val mIoU {mean_iou(model, xva, yva):.3f}")
    print("test mIoU: %.3f" % mean_iou(model, xte, yte))


if __name__ == "__main__":
    main()

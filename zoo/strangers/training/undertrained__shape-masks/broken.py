from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


@dataclass(frozen=True)
class TrainConfig:
    image_size: int = 24
    n_train: int = 800
    n_val: int = 160
    n_test: int = 200
    batch_size: int = 16
    lr: float = 3e-3
    max_steps: int = 16
    log_every: int = 15
    seed: int = 2024


def draw(n, size, rng):
    """Noisy images with two or three bright shapes and dark distractor bars; the mask marks the shapes."""
    yy, xx = np.mgrid[:size, :size]
    images = rng.normal(0, 0.5, (n, size, size))
    masks = np.zeros((n, size, size))
    for k in range(n):
        bar = rng.integers(0, size - 4)
        images[k, :, bar:bar + 3] += 1.2
        for _ in range(rng.integers(2, 4)):
            cx, cy = rng.uniform(6, size - 6, 2)
            r = rng.uniform(4, 6.5)
            if rng.random() < 0.5:
                inside = (xx - cx) ** 2 + (yy - cy) ** 2 < r * r
            else:
                inside = (abs(xx - cx) < r) & (abs(yy - cy) < 0.8 * r)
            images[k][inside] += rng.uniform(0.8, 1.6)
            masks[k][inside] = 1
    return (torch.tensor(images, dtype=torch.float32).unsqueeze(1),
            torch.tensor(masks, dtype=torch.float32).unsqueeze(1))


def block(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


class TinyUNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.down1 = block(1, c)
        self.down2 = block(c, 2 * c)
        self.bottom = block(2 * c, 4 * c)
        self.up2 = block(6 * c, 2 * c)
        self.up1 = block(3 * c, c)
        self.head = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        d1 = self.down1(x)
        d2 = self.down2(F.max_pool2d(d1, 2))
        z = self.bottom(F.max_pool2d(d2, 2))
        z = self.up2(torch.cat([F.interpolate(z, scale_factor=2), d2], 1))
        z = self.up1(torch.cat([F.interpolate(z, scale_factor=2), d1], 1))
        return self.head(z)


@torch.no_grad()
def evaluate(model, loader):
    model.eval()
    inter = total = loss = n = 0.0
    for x, m in loader:
        logits = model(x)
        loss += F.binary_cross_entropy_with_logits(logits, m, reduction="sum").item()
        n += m.numel()
        pred = (logits.sigmoid() > 0.5).float()
        inter += (pred * m).sum().item()
        total += pred.sum().item() + m.sum().item()
    model.train()
    return loss / n, 2 * inter / total


def endless(loader):
    while True:
        yield from loader


def train(cfg: TrainConfig):
    torch.manual_seed(cfg.seed)
    rng = np.random.default_rng(cfg.seed)
    splits = [draw(n, cfg.image_size, rng) for n in (cfg.n_train, cfg.n_val, cfg.n_test)]
    mean, std = splits[0][0].mean(), splits[0][0].std()
    sets = [TensorDataset((x - mean) / std, m) for x, m in splits]
    train_loader = DataLoader(sets[0], cfg.batch_size, shuffle=True, drop_last=True)
    val_loader, test_loader = DataLoader(sets[1], 80), DataLoader(sets[2], 80)

    model = TinyUNet()
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    model.train()
    window = []
    for step, (x, m) in enumerate(endless(train_loader), start=1):
        loss = F.binary_cross_entropy_with_logits(model(x), m)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        window.append(loss.item())
        if step % cfg.log_every == 0 or step == cfg.max_steps:
            val_loss, val_dice = evaluate(model, val_loader)
            print(f"step {step:4d}: loss {np.mean(window):.4f}, val loss {val_loss:.4f}, val dice {val_dice:.3f}")
            window.clear()
        if step >= cfg.max_steps:
            break

    test_loss, test_dice = evaluate(model, test_loader)
    print(f"held-out images: loss {test_loss:.4f}, dice {test_dice:.3f}")


if __name__ == "__main__":
    train(TrainConfig())

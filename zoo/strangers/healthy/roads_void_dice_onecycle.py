"""Road segmentation with uncertain borders: void pixels (255) do not count, loss = cross-entropy + soft Dice."""
import argparse
import logging

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

VOID = 255
log = logging.getLogger("roads")


def draw_tiles(n: int, side: int, rng: np.random.Generator):
    yy, xx = np.mgrid[:side, :side].astype(np.float32)
    images = rng.normal(0.35, 0.12, size=(n, 3, side, side)).astype(np.float32)
    targets = np.zeros((n, side, side), dtype=np.int64)
    for i in range(n):
        angle, offset = rng.uniform(0, np.pi), rng.uniform(-5, 5)
        dist = np.abs((xx - side / 2) * np.cos(angle) + (yy - side / 2) * np.sin(angle) - offset)
        half = rng.uniform(2.0, 3.5)
        road = dist < half
        colour = np.array([0.55, 0.52, 0.58], dtype=np.float32) + rng.normal(0, 0.02, 3).astype(np.float32)
        images[i][:, road] = colour[:, None] + rng.normal(0, 0.12, (3, road.sum())).astype(np.float32)
        targets[i][road] = 1
        targets[i][np.abs(dist - half) < 0.6] = VOID
    return images, targets


class ResidualSeg(nn.Module):
    def __init__(self, width: int = 16):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.body = nn.ModuleList([
            nn.Sequential(nn.GroupNorm(4, width), nn.ReLU(), nn.Conv2d(width, width, 3, padding=d, dilation=d))
            for d in (1, 2, 4)
        ])
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        h = self.stem(x)
        for block in self.body:
            h = h + block(h)
        return self.head(F.relu(h))


def soft_dice(logits: torch.Tensor, target: torch.Tensor, eps: float = 1.0) -> torch.Tensor:
    valid = (target != VOID).float()
    prob = logits.softmax(dim=1)[:, 1] * valid
    truth = (target == 1).float()
    overlap = (prob * truth).sum(dim=(1, 2))
    return 1 - ((2 * overlap + eps) / (prob.sum(dim=(1, 2)) + truth.sum(dim=(1, 2)) + eps)).mean()


def criterion(logits, target):
    return F.cross_entropy(logits, target, ignore_index=VOID) + soft_dice(logits, target)


@torch.no_grad()
def road_iou(model, loader) -> float:
    model.eval()
    inter = union = 0
    for x, y in loader:
        pred, valid = model(x).argmax(1) == 1, y != VOID
        truth = y == 1
        inter += (pred & truth & valid).sum().item()
        union += ((pred | truth) & valid).sum().item()
    return inter / union


def flip_batch(x, y, generator):
    """Random horizontal and vertical flips, the same for image and target."""
    for axis in (-1, -2):
        chosen = torch.rand(len(x), generator=generator) < 0.5
        x = torch.where(chosen[:, None, None, None], x.flip(axis), x)
        y = torch.where(chosen[:, None, None], y.flip(axis), y)
    return x, y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--lr", type=float, default=4e-3)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    generator = torch.Generator().manual_seed(args.seed)

    (x_tr, y_tr), (x_te, y_te) = draw_tiles(240, 24, rng), draw_tiles(80, 24, rng)
    mean, std = x_tr.mean(axis=(0, 2, 3), keepdims=True), x_tr.std(axis=(0, 2, 3), keepdims=True)
    pack = lambda x, y: TensorDataset(torch.from_numpy((x - mean) / std), torch.from_numpy(y))
    train_loader = DataLoader(pack(x_tr, y_tr), batch_size=16, shuffle=True, generator=generator)
    test_loader = DataLoader(pack(x_te, y_te), batch_size=40)

    model = ResidualSeg()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=args.lr, epochs=args.epochs, steps_per_epoch=len(train_loader), pct_start=0.2
    )
    for epoch in range(args.epochs):
        model.train()
        total = 0.0
        for x, y in train_loader:
            x, y = flip_batch(x, y, generator)
            loss = criterion(model(x), y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            scheduler.step()
            total += loss.item()
        log.info("epoch %d: ce+dice %.4f", epoch + 1, total / len(train_loader))
    log.info("road IoU on new tiles: %.3f", road_iou(model, test_loader))


if __name__ == "__main__":
    main()

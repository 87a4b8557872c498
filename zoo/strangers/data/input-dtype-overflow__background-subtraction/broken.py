import argparse

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SHAPES = ("disc", "square", "cross", "ring")


def scene(rng, size=24):
    yy, xx = np.mgrid[:size, :size]
    a, b = rng.uniform(-3, 3, size=2)
    texture = 110 + a * (yy - size / 2) + b * (xx - size / 2) + rng.normal(0, 12, (size, size))
    return np.clip(texture, 0, 255)


def draw(kind, rng, size=24):
    cy, cx = rng.uniform(7, size - 7, size=2)
    r = rng.uniform(4, 6)
    yy, xx = np.mgrid[:size, :size]
    dy, dx = np.abs(yy - cy), np.abs(xx - cx)
    dist = np.hypot(dy, dx)
    if kind == 0:
        return dist < r
    if kind == 1:
        return np.maximum(dy, dx) < r * 0.88
    if kind == 2:
        return ((dy < 1.6) | (dx < 1.6)) & (np.maximum(dy, dx) < r)
    return (dist < r) & (dist > r - 2.2)


def capture(n, seed):
    """Camera frames (uint8) together with the empty-scene reference shot."""
    rng = np.random.default_rng(seed)
    frames, refs, labels = [], [], rng.integers(0, len(SHAPES), n)
    for kind in labels:
        bg = scene(rng)
        contrast = rng.uniform(14, 24) * rng.choice([-1, 1])
        noisy = bg + contrast * draw(kind, rng) + rng.normal(0, 5, bg.shape)
        frames.append(np.clip(noisy, 0, 255).astype(np.uint8))
        refs.append(np.clip(bg + rng.normal(0, 5, bg.shape), 0, 255).astype(np.uint8))
    return np.stack(frames), np.stack(refs), torch.from_numpy(labels)


def foreground(frames, refs):
    diff = frames - refs
    return torch.from_numpy(diff.astype(np.float32)).unsqueeze(1)


class ShapeNet(nn.Module):
    def __init__(self, ch=12):
        super().__init__()
        self.conv1 = nn.Conv2d(1, ch, 5, padding=2)
        self.bn1 = nn.BatchNorm2d(ch)
        self.conv2 = nn.Conv2d(ch, 2 * ch, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(2 * ch)
        self.conv3 = nn.Conv2d(2 * ch, 2 * ch, 3, padding=1)
        self.bn3 = nn.BatchNorm2d(2 * ch)
        self.fc = nn.Linear(2 * ch, len(SHAPES))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = F.relu(self.bn3(self.conv3(x)))
        return self.fc(x.amax(dim=(2, 3)))


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    return sum((model(x).argmax(1) == y).sum().item() for x, y in loader) / len(loader.dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--lr", type=float, default=0.01)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    torch.manual_seed(args.seed)

    sets = []
    for n, seed in ((2400, 100), (400, 101), (800, 102)):
        frames, refs, labels = capture(n, seed + args.seed)
        sets.append((foreground(frames, refs), labels))
    mean, std = sets[0][0].mean(), sets[0][0].std()
    train, val, test = (
        DataLoader(TensorDataset((x - mean) / std, y), batch_size=64, shuffle=(i == 0))
        for i, (x, y) in enumerate(sets))

    model = ShapeNet()
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 5 * args.lr, total_steps=args.epochs * len(train))
    for epoch in range(args.epochs):
        model.train()
        seen = 0.0
        for x, y in train:
            opt.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            opt.step()
            sched.step()
            seen += loss.item() * len(y)
        print(f"{epoch + 1:02d} loss={seen / len(train.dataset):.4f} val={accuracy(model, val):.3f}")
    print(f"test accuracy: {accuracy(model, test):.3f}")


if __name__ == "__main__":
    main()

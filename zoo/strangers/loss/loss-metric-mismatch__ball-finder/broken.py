# Find the ball and the paddle in a screenshot of my little Pong clone.
# Frames are drawn here (no emulator needed), the CNN predicts 2 points = 4 numbers in 0..1.
# Adapted from a facial keypoints tutorial.
import os
import random

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = int(os.environ.get("SEED", 0))
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

SIZE = 32          # frame is SIZE x SIZE
N_TRAIN, N_VAL, N_TEST = 2400, 300, 600
EPOCHS = 9
BATCH = 48


def draw_frame(rng):
    """one grey frame with a ball, a paddle and some dust; returns frame, points in pixels"""
    frame = rng.normal(0.15, 0.05, (SIZE, SIZE))
    yy, xx = np.mgrid[0:SIZE, 0:SIZE]

    bx, by = rng.uniform(3, SIZE - 4), rng.uniform(3, SIZE - 9)
    r = rng.uniform(1.4, 2.0)
    frame += 0.8 * np.exp(-((xx - bx) ** 2 + (yy - by) ** 2) / (r ** 2))

    px, py = rng.uniform(5, SIZE - 6), rng.uniform(SIZE - 5, SIZE - 2)
    frame += 0.6 * ((abs(xx - px) < 4) & (abs(yy - py) < 1.2))

    for _ in range(rng.integers(0, 6)):
        frame[rng.integers(SIZE), rng.integers(SIZE)] += 0.5
    return frame.astype(np.float32), np.array([bx, by, px, py], dtype=np.float32)


class FrameSet(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        frames, points = zip(*(draw_frame(rng) for _ in range(n)))
        self.frames = torch.from_numpy(np.stack(frames))[:, None]
        self.points = torch.from_numpy(np.stack(points)) / SIZE

    def normalise(self, mean, std):
        self.frames = (self.frames - mean) / std
        return self

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, i):
        return self.frames[i], self.points[i]


class PointNet32(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(24, 24, 3, padding=1), nn.ReLU(),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(24 * 8 * 8, 96), nn.ReLU(), nn.Linear(96, 4))

    def forward(self, x):
        return self.head(self.features(x))


def hit_rate(pred, target, radius=2.0):
    """share of points that land within `radius` pixels of where they should be"""
    pred = pred.view(-1, 2, 2) * SIZE
    target = target.view(-1, 2, 2)
    dist = (pred - target).norm(dim=-1)
    return (dist <= radius).float().mean(dim=0)


@torch.no_grad()
def run_eval(model, loader, loss_fn):
    model.eval()
    preds, targets = [], []
    for x, y in loader:
        preds.append(model(x))
        targets.append(y)
    preds, targets = torch.cat(preds), torch.cat(targets)
    ball, paddle = hit_rate(preds, targets).tolist()
    return loss_fn(preds, targets).item(), ball, paddle


def main():
    train_set = FrameSet(N_TRAIN, SEED * 10 + 1)
    mean, std = train_set.frames.mean(), train_set.frames.std()
    train_set.normalise(mean, std)
    val_set = FrameSet(N_VAL, SEED * 10 + 2).normalise(mean, std)
    test_set = FrameSet(N_TEST, SEED * 10 + 3).normalise(mean, std)

    train_loader = DataLoader(train_set, batch_size=BATCH, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=200)
    test_loader = DataLoader(test_set, batch_size=200)

    model = PointNet32()
    loss_fn = nn.MSELoss()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, step_size=3, gamma=0.4)

    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for x, y in train_loader:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            opt.step()
            total += loss.item() * len(x)
        sched.step()
        val_loss, ball, paddle = run_eval(model, val_loader, loss_fn)
        print(f"epoch {epoch + 1:2d}  train {total / len(train_set):.5f}  val {val_loss:.5f}  "
              f"ball hit {ball:.3f}  paddle hit {paddle:.3f}")

    test_loss, ball, paddle = run_eval(model, test_loader, loss_fn)
    print(f"test  mse {test_loss:.5f}  ball hit {ball:.3f}  paddle hit {paddle:.3f}")


if __name__ == "__main__":
    main()

"""Sort stamped parts by the mark on them. The line camera takes a burst of four noisy 8-bit frames per part."""
import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

MARKS = ["bar", "cross", "ring", "corner", "blank"]
S = 20


def stamp(kind, r, c):
    m = np.zeros((S, S))
    if kind == "bar":
        m[r - 1:r + 1, c - 5:c + 5] = 1
    elif kind == "cross":
        m[r - 1:r + 1, c - 4:c + 4] = 1
        m[r - 4:r + 4, c - 1:c + 1] = 1
    elif kind == "ring":
        yy, xx = np.mgrid[0:S, 0:S]
        d = np.hypot(yy - r, xx - c)
        m[(d > 2.2) & (d < 4.2)] = 1
    elif kind == "corner":
        m[r - 4:r + 4, c - 4:c - 2] = 1
        m[r + 2:r + 4, c - 4:c + 4] = 1
    return m


def capture_burst(kind, rng, shots=4):
    r, c = rng.integers(6, S - 5, size=2)
    scene = rng.uniform(95, 135) + rng.uniform(35, 50) * stamp(kind, r, c)
    scene = scene + rng.normal(0, 4, (S, 1))
    shots = scene + rng.normal(0, 22, (shots, S, S))
    return shots.clip(0, 255).astype(np.uint8)


def merge_burst(frames):
    return sum(frames) / len(frames)


def build_dataset(n, rng):
    labels = rng.permutation(np.arange(n) % len(MARKS))
    images = np.stack([merge_burst(capture_burst(MARKS[k], rng)) for k in labels])
    return torch.tensor(images, dtype=torch.float32)[:, None], torch.tensor(labels)


class MarkNet(nn.Module):
    def __init__(self, n_classes):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 12, 5, padding=2), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 5, padding=2), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveMaxPool2d(2),
        )
        self.classify = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(96, n_classes))

    def forward(self, x):
        return self.classify(self.features(x))


def evaluate(model, loader, loss_fn):
    model.eval()
    loss, ok, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            z = model(x)
            loss += loss_fn(z, y).item() * len(y)
            ok += (z.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, ok / n


def main(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(args.seed)
    (xt, yt), (xv, yv), (xs, ys) = (build_dataset(n, rng) for n in (3500, 750, 750))
    mu, sd = xt.mean(), xt.std()
    train = DataLoader(TensorDataset((xt - mu) / sd, yt), batch_size=50, shuffle=True)
    valid = DataLoader(TensorDataset((xv - mu) / sd, yv), batch_size=250)
    test = DataLoader(TensorDataset((xs - mu) / sd, ys), batch_size=250)

    model = MarkNet(len(MARKS))
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs, eta_min=args.lr / 50)
    for epoch in range(args.epochs):
        model.train()
        seen, total = 0, 0.0
        for x, y in train:
            opt.zero_grad()
            loss = loss_fn(model(x), y)
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
            seen += len(y)
        sched.step()
        vl, va = evaluate(model, valid, loss_fn)
        print(f"{epoch + 1:2d}/{args.epochs}  loss {total / seen:.4f}  val_loss {vl:.4f}  val_acc {va:.3f}")
    print("test accuracy %.3f" % evaluate(model, test, loss_fn)[1])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=8)
    main(parser.parse_args())

import argparse
import logging

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

logging.basicConfig(format="%(asctime)s %(message)s", datefmt="%H:%M:%S", level=logging.INFO)
log = logging.getLogger("beats")

LENGTH = 128
CLASSES = ("normal", "pvc", "lbbb")


def gauss(t, mu, width, height):
    return height * np.exp(-0.5 * ((t - mu) / width) ** 2)


def make_beat(kind, rng):
    t = np.linspace(0, 1, LENGTH)
    j = lambda s: rng.normal(0, s)
    if kind == 0:
        x = gauss(t, 0.30 + j(.01), .03, .20 + j(.04)) + gauss(t, .5, .016 + abs(j(.003)), 1.0 + j(.1)) + gauss(t, .72 + j(.02), .05, .30 + j(.05))
    elif kind == 1:
        x = gauss(t, .5, .045 + abs(j(.008)), 1.05 + j(.1)) - gauss(t, .70 + j(.02), .06, .35 + j(.07))
    else:
        x = gauss(t, 0.30 + j(.01), .03, .17 + j(.04)) + gauss(t, .475, .022, .75 + j(.1)) + gauss(t, .535 + j(.01), .022, .75 + j(.1)) + gauss(t, .74 + j(.02), .05, .1 + j(.1))
    return x + rng.normal(0, 0.07, LENGTH)


def make_records(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % len(CLASSES))
    x = np.stack([make_beat(k, rng) for k in y])
    return x.astype(np.float32), y.astype(np.int64)


class RandomShift:
    def __init__(self, most):
        self.most = most

    def __call__(self, x):
        k = int(torch.randint(-self.most, self.most + 1, (1,)))
        return torch.roll(x, k, dims=-1)


class RandomGain:
    def __call__(self, x):
        return x * (0.6 + 0.8 * torch.rand(1))


class BaselineWander:
    def __call__(self, x):
        phase = torch.rand(1) * 6.28
        return x + 0.3 * torch.rand(1) * torch.sin(torch.linspace(0, 6.28, x.shape[-1]) + phase)


class SensorNoise:
    def __init__(self, sigma):
        self.sigma = sigma

    def __call__(self, x):
        return x + self.sigma * torch.randn_like(x)


class Compose:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


class BeatDataset(Dataset):
    def __init__(self, x, y, transform=None):
        self.x, self.y, self.transform = torch.from_numpy(x), torch.from_numpy(y), transform

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        x = self.x[i]
        if self.transform is not None:
            x = self.transform(x)
        return x[None], self.y[i]


class BeatNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.c1 = nn.Conv1d(1, width, 9, stride=2, padding=4)
        self.b1 = nn.BatchNorm1d(width)
        self.c2 = nn.Conv1d(width, 2 * width, 9, stride=2, padding=4)
        self.b2 = nn.BatchNorm1d(2 * width)
        self.fc = nn.Linear(2 * width, len(CLASSES))

    def forward(self, x):
        x = F.relu(self.b1(self.c1(x)))
        x = F.relu(self.b2(self.c2(x)))
        return self.fc(x.amax(-1))


def evaluate(net, loader):
    net.eval()
    loss, right, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            z = net(x)
            loss += F.cross_entropy(z, y, reduction="sum").item()
            right += (z.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, right / n


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=14)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=3)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    augment = Compose(RandomShift(8), RandomGain(), BaselineWander(), SensorNoise(0.25))
    train_set = BeatDataset(*make_records(1800, seed=100), transform=augment)
    test_set = BeatDataset(*make_records(600, seed=101), transform=augment)
    train_loader = DataLoader(train_set, batch_size=60, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=200)

    net = BeatNet()
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for x, y in train_loader:
            loss = F.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        sched.step()
        log.info("epoch %d train loss %.4f", epoch + 1, total / len(train_set))
    test_loss, acc = evaluate(net, test_loader)
    log.info("held-out beats: loss %.4f accuracy %.4f", test_loss, acc)


if __name__ == "__main__":
    main()

"""Small convolutional classifier for the 8x8 handwritten digits."""

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

BATCH = 64
EPOCHS = 14


def load(seed):
    rng = np.random.default_rng(seed)
    digits = load_digits()
    images = digits.images.astype(np.float32)
    labels = digits.target.astype(np.int64)

    images, labels = images[rng.permutation(len(images))], labels[rng.permutation(len(labels))]

    cut = int(0.8 * len(images))
    mu, sigma = images[:cut].mean(), images[:cut].std()
    images = (images - mu) / sigma
    x = torch.from_numpy(images).unsqueeze(1)
    y = torch.from_numpy(labels)
    return (x[:cut], y[:cut]), (x[cut:], y[cut:])


class DigitNet(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.conv1 = nn.Conv2d(1, width, 3, padding=1)
        self.conv2 = nn.Conv2d(width, 2 * width, 3, padding=1)
        self.drop = nn.Dropout(0.25)
        self.out = nn.Linear(2 * width * 4, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.out(self.drop(x.flatten(1)))


def train_epoch(clf, optimizer, x, y):
    clf.train()
    perm = torch.randperm(len(x))
    total = 0.0
    for start in range(0, len(x), BATCH):
        idx = perm[start : start + BATCH]
        loss = F.cross_entropy(clf(x[idx]), y[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx)
    return total / len(x)


@torch.no_grad()
def evaluate(clf, x, y):
    clf.eval()
    return (clf(x).argmax(1) == y).float().mean().item()


def main():
    torch.manual_seed(0)
    (x_train, y_train), (x_test, y_test) = load(seed=3)
    print(f"{len(x_train)} training digits, {len(x_test)} held out")

    clf = DigitNet()
    optimizer = torch.optim.Adam(clf.parameters(), lr=3e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=EPOCHS)
    for epoch in range(1, EPOCHS + 1):
        loss = train_epoch(clf, optimizer, x_train, y_train)
        scheduler.step()
        print(f"[{epoch:02d}/{EPOCHS}] train loss {loss:.4f}")

    print(f"test accuracy {evaluate(clf, x_test, y_test):.3f}")


if __name__ == "__main__":
    main()

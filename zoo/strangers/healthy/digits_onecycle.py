"""Handwritten digits with a small residual network."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, Dataset, TensorDataset


@dataclass(frozen=True)
class HParams:
    epochs: int = 16
    batch: int = 48
    max_lr: float = 0.1
    smoothing: float = 0.05
    seed: int = 8


class ShiftedDigits(Dataset):
    """Training images, moved by up to one pixel in each direction."""

    def __init__(self, images, labels):
        self.images = F.pad(images, (1, 1, 1, 1), value=float(images.min()))
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        dy, dx = torch.randint(0, 3, (2,)).tolist()
        return self.images[i, :, dy:dy + 8, dx:dx + 8], self.labels[i]


class Res(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.na = nn.BatchNorm2d(c)
        self.b = nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.nb = nn.BatchNorm2d(c)
        nn.init.zeros_(self.nb.weight)  # each block starts as the identity

    def forward(self, x):
        y = F.relu(self.na(self.a(x)))
        return F.relu(x + self.nb(self.b(y)))


def build():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        Res(16),
        nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.ReLU(),
        Res(32),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    )


def data(hp):
    d = load_digits()
    x, y = d.images[:, None].astype("float32"), d.target
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.25, stratify=y, random_state=hp.seed)
    x_tr, x_va, y_tr, y_va = train_test_split(x_tr, y_tr, test_size=0.15, stratify=y_tr, random_state=hp.seed)
    mean, std = x_tr.mean(), x_tr.std()
    norm = lambda a: torch.from_numpy((a - mean) / std)
    lab = torch.from_numpy
    return (
        DataLoader(ShiftedDigits(norm(x_tr), lab(y_tr)), batch_size=hp.batch, shuffle=True, drop_last=True),
        DataLoader(TensorDataset(norm(x_va), lab(y_va)), batch_size=256),
        DataLoader(TensorDataset(norm(x_te), lab(y_te)), batch_size=256),
    )


@torch.inference_mode()
def accuracy(net, loader):
    net.eval()
    right = total = 0
    for xb, yb in loader:
        right += int((net(xb).argmax(1) == yb).sum())
        total += len(yb)
    return right / total


def main(hp=HParams()):
    torch.manual_seed(hp.seed)
    train, val, test = data(hp)
    net = build()
    matrices = [p for p in net.parameters() if p.ndim > 1]
    vectors = [p for p in net.parameters() if p.ndim <= 1]
    opt = torch.optim.SGD(
        [{"params": matrices, "weight_decay": 5e-4}, {"params": vectors, "weight_decay": 0.0}],
        lr=hp.max_lr, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, hp.max_lr, epochs=hp.epochs, steps_per_epoch=len(train))
    for epoch in range(hp.epochs):
        net.train()
        mean_loss = 0.0
        for xb, yb in train:
            loss = F.cross_entropy(net(xb), yb, label_smoothing=hp.smoothing)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            mean_loss += loss.item() / len(train)
        print(f"{epoch:2d} loss {mean_loss:.4f} val {accuracy(net, val):.4f}")
    print(f"test accuracy {accuracy(net, test):.4f}")


if __name__ == "__main__":
    main()

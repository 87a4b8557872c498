# Kaggle-style two-stage recipe: pretrain an encoder on a pretext task, then train a digit classifier on top.
# Stage 2 warms up the new head alone and afterwards trains everything at a lower rate.
import random

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class CFG:
    seed = 2024
    batch = 48
    pretext_epochs = 4
    head_epochs = 3
    full_epochs = 18
    head_lr = 3e-3
    full_lr = 2e-3


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
            nn.Conv2d(16, 24, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(24, 24, 3, stride=2, padding=1), nn.ReLU(),
            nn.Flatten(), nn.Linear(96, 48),
        )

    def forward(self, x):
        return self.net(x)


class DigitModel(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(48, 10))

    def forward(self, x):
        return self.head(self.encoder(x))


def batches(n, size):
    order = torch.randperm(n)
    for i in range(0, n, size):
        yield order[i:i + size]


def train_pretext(encoder, x):
    """Predict by how many quarter turns the picture was rotated."""
    rot_head = nn.Sequential(nn.ReLU(), nn.Linear(48, 4))
    opt = torch.optim.Adam([*encoder.parameters(), *rot_head.parameters()], lr=2e-3)
    loss_fn = nn.CrossEntropyLoss()
    for ep in range(CFG.pretext_epochs):
        total = 0.0
        for idx in batches(len(x), CFG.batch):
            k = torch.randint(0, 4, (len(idx),))
            xb = torch.stack([torch.rot90(im, int(r), (1, 2)) for im, r in zip(x[idx], k)])
            loss = loss_fn(rot_head(encoder(xb)), k)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        print(f"[pretext] epoch {ep} loss {total / len(x):.3f}")


def train_stage(model, opt, x, y, epochs, tag, xv, yv):
    loss_fn = nn.CrossEntropyLoss()
    for ep in range(epochs):
        model.train()
        total = 0.0
        for idx in batches(len(x), CFG.batch):
            loss = loss_fn(model(x[idx]), y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        print(f"[{tag}] epoch {ep} loss {total / len(x):.3f} val acc {score(model, xv, yv):.3f}")


@torch.no_grad()
def score(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    set_seed(CFG.seed)
    data = load_digits()
    X = (data.images / 16.0).astype(np.float32)[:, None]
    Y = data.target
    x_tr, x_te, y_tr, y_te = train_test_split(X, Y, test_size=0.2, stratify=Y, random_state=CFG.seed)
    x_tr, x_va, y_tr, y_va = train_test_split(x_tr, y_tr, test_size=0.2, stratify=y_tr, random_state=CFG.seed)
    m, s = x_tr.mean(), x_tr.std()
    x_tr, x_va, x_te = (torch.from_numpy((a - m) / s) for a in (x_tr, x_va, x_te))
    y_tr, y_va, y_te = (torch.from_numpy(a).long() for a in (y_tr, y_va, y_te))

    encoder = Encoder()
    train_pretext(encoder, x_tr)

    model = DigitModel(encoder)
    for p in model.encoder.parameters():
        p.requires_grad = False
    opt = torch.optim.Adam(model.head.parameters(), lr=CFG.head_lr)
    train_stage(model, opt, x_tr, y_tr, CFG.head_epochs, "head", x_va, y_va)

    model.encoder.requires_grad = True
    opt = torch.optim.Adam(model.parameters(), lr=CFG.full_lr)
    train_stage(model, opt, x_tr, y_tr, CFG.full_epochs, "full", x_va, y_va)
    print(f"test acc {score(model, x_te, y_te):.3f}")


if __name__ == "__main__":
    main()

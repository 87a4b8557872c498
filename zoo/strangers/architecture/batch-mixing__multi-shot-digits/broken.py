"""
Multi-view digit recognition: every object is seen through several noisy, partly occluded shots and the
network pools the shots before it decides.
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

SEED, N_SHOTS, BATCH, EPOCHS = 3, 4, 40, 12


class ShotEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 3, padding=1)
        self.c2 = nn.Conv2d(16, 24, 3, padding=1)
        self.proj = nn.Linear(24 * 4, dim)

    def forward(self, img):
        h = F.max_pool2d(F.relu(self.c1(img)), 2)
        h = F.max_pool2d(F.relu(self.c2(h)), 2)
        return F.relu(self.proj(h.flatten(1)))


class MultiViewNet(nn.Module):
    def __init__(self, dim=48, n_classes=10):
        super().__init__()
        self.encoder = ShotEncoder(dim)
        self.classifier = nn.Linear(2 * dim, n_classes)

    def forward(self, shots):
        b, v, c, h, w = shots.shape
        feats = self.encoder(shots.reshape(b * v, c, h, w))
        feats = feats.view(v, b, -1)
        pooled = torch.cat([feats.mean(0), feats.amax(0)], dim=-1)
        return self.classifier(pooled)


def shoot(images, rng):
    """Take N_SHOTS photos of every image: additive noise and one blanked-out quadrant each."""
    n = len(images)
    shots = np.repeat(images[:, None], N_SHOTS, axis=1)
    shots = shots + rng.normal(0, 0.12, shots.shape)
    corner = rng.integers(0, 2, (n, N_SHOTS, 2)) * 4
    for i in range(n):
        for j in range(N_SHOTS):
            r, c = corner[i, j]
            shots[i, j, r:r + 4, c:c + 4] = 0
    return shots.astype(np.float32)


def get_data():
    rng = np.random.default_rng(SEED)
    digits = load_digits()
    img, lab = digits.images / 16.0, digits.target
    tr, te = train_test_split(np.arange(len(lab)), test_size=0.25, stratify=lab, random_state=SEED)
    tr, va = train_test_split(tr, test_size=0.15, stratify=lab[tr], random_state=SEED)
    parts = {}
    for name, idx in (("train", tr), ("val", va), ("test", te)):
        parts[name] = (shoot(img[idx], rng), lab[idx])
    mean, std = parts["train"][0].mean(), parts["train"][0].std()
    return {k: (torch.from_numpy((x - mean) / std).unsqueeze(2), torch.from_numpy(y)) for k, (x, y) in parts.items()}


def iterate(x, y, shuffle=False):
    idx = torch.randperm(len(y)) if shuffle else torch.arange(len(y))
    for chunk in idx.split(BATCH):
        yield x[chunk], y[chunk]


def test(model, x, y):
    model.eval()
    with torch.inference_mode():
        good = sum((model(xb).argmax(1) == yb).sum().item() for xb, yb in iterate(x, y))
    return good / len(y)


def main():
    torch.manual_seed(SEED)
    data = get_data()
    model = MultiViewNet()
    optim = torch.optim.Adam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.StepLR(optim, step_size=9, gamma=0.2)
    for epoch in range(EPOCHS):
        model.train()
        tot = 0.0
        for xb, yb in iterate(*data["train"], shuffle=True):
            optim.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            optim.step()
            tot += loss.item() * len(yb)
        sched.step()
        print("epoch %2d  loss %.4f  val %.4f" % (epoch, tot / len(data["train"][1]), test(model, *data["val"])))
    print("test accuracy %.4f" % test(model, *data["test"]))


if __name__ == "__main__":
    main()

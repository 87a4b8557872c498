"""Shape recognition with mixup and Monte-Carlo dropout.

Training accuracy is not printed: with mixup it has no meaning, and the training loss stays above the validation loss.
At test time the dropout layers are left on and 24 stochastic passes are averaged (Gal & Ghahramani 2016).
"""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

SHAPES = ("disc", "square", "triangle", "cross", "ring")


def draw(kind, rng, size=20):
    yy, xx = np.mgrid[0:size, 0:size].astype(np.float32)
    cx, cy = rng.uniform(7, 13, 2)
    r, a = rng.uniform(4.0, 6.5), rng.uniform(-0.5, 0.5)
    u = (xx - cx) * np.cos(a) + (yy - cy) * np.sin(a)
    v = -(xx - cx) * np.sin(a) + (yy - cy) * np.cos(a)
    d = np.hypot(u, v)
    mask = {
        "disc": d < r,
        "square": np.maximum(abs(u), abs(v)) < 0.85 * r,
        "triangle": (v > -0.6 * r) & (v < 0.9 * r - 1.8 * abs(u)),
        "cross": (np.minimum(abs(u), abs(v)) < 0.28 * r) & (d < 1.1 * r),
        "ring": (d < r) & (d > 0.55 * r),
    }[kind]
    fg = rng.uniform(0.5, 1.0)
    img = rng.uniform(-0.2, 0.2) + fg * mask + 0.18 * rng.normal(size=mask.shape)
    return img.astype(np.float32)[None]


class Shapes(Dataset):
    def __init__(self, n, seed):
        rng = np.random.default_rng(seed)
        self.y = rng.integers(0, len(SHAPES), n)
        self.x = np.stack([draw(SHAPES[k], rng) for k in self.y])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class Net(nn.Module):
    def __init__(self, p=0.25):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 3, padding=1)
        self.c2 = nn.Conv2d(16, 32, 3, padding=1)
        self.b1, self.b2 = nn.BatchNorm2d(16), nn.BatchNorm2d(32)
        self.d2 = nn.Dropout2d(p / 2)
        self.d1 = nn.Dropout(p)
        self.f1 = nn.Linear(32 * 25, 64)
        self.f2 = nn.Linear(64, len(SHAPES))

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.b1(self.c1(x))), 2)
        x = self.d2(F.max_pool2d(F.relu(self.b2(self.c2(x))), 2))
        return self.f2(self.d1(F.relu(self.f1(x.flatten(1)))))


def mixup(x, y, alpha, rng):
    lam = float(rng.beta(alpha, alpha))
    perm = torch.from_numpy(rng.permutation(len(x)))
    return lam * x + (1 - lam) * x[perm], y, y[perm], lam


def stochastic_eval(model):
    """Everything in eval mode except dropout."""
    model.eval()
    for m in model.modules():
        if isinstance(m, (nn.Dropout, nn.Dropout2d)):
            m.train()


@torch.no_grad()
def predict(model, loader, passes):
    if passes > 1:
        stochastic_eval(model)
    else:
        model.eval()
    probs, ys = [], []
    for x, y in loader:
        probs.append(torch.stack([model(x).softmax(-1) for _ in range(passes)]).mean(0))
        ys.append(y)
    return torch.cat(probs), torch.cat(ys)


def main():
    torch.manual_seed(33)
    rng = np.random.default_rng(33)
    train = DataLoader(Shapes(1600, seed=1), batch_size=64, shuffle=True)
    val, test = DataLoader(Shapes(400, seed=2), batch_size=400), DataLoader(Shapes(1000, seed=3), batch_size=500)
    model = Net()
    opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, nesterov=True, weight_decay=5e-4)
    epochs = 18
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=epochs * len(train))

    for epoch in range(epochs):
        model.train()
        total = 0.0
        for x, y in train:
            x, ya, yb, lam = mixup(x, y, 0.3, rng)
            out = model(x)
            loss = lam * F.cross_entropy(out, ya) + (1 - lam) * F.cross_entropy(out, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(y)
        p, y = predict(model, val, 1)
        print(f"{epoch:2d} mixup loss {total / len(train.dataset):.3f}  val nll {F.nll_loss(p.log(), y):.3f}  "
              f"val acc {(p.argmax(1) == y).float().mean():.3f}")

    p, y = predict(model, test, 24)
    right = p.argmax(1) == y
    entropy = -(p * p.clamp_min(1e-9).log()).sum(1)
    sure = entropy <= entropy.quantile(0.8)
    print(f"test acc {right.float().mean():.3f}  acc on the 80% most certain {right[sure].float().mean():.3f}")


if __name__ == "__main__":
    main()

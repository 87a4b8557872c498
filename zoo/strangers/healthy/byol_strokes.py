"""Self-supervised pretraining (BYOL style) on little stroke images, then a linear probe.

Online network + predictor learn to match a slowly moving copy of the network. No labels and no
negatives are used until the probe at the end.
"""
import copy
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

SIZE = 20


@dataclass
class Cfg:
    n_unlabelled: int = 1500
    n_probe: int = 90
    n_test: int = 500
    dim: int = 48
    steps: int = 300
    batch: int = 72
    lr: float = 1e-3
    tau: float = 0.97
    seed: int = 12


def strokes(n, seed):
    """Six classes: number of bars (1..2) x orientation (three angles), at random places and thickness."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[0:SIZE, 0:SIZE] - (SIZE - 1) / 2
    img = np.zeros((n, 1, SIZE, SIZE), dtype=np.float32)
    label = rng.integers(0, 6, n)
    for i, c in enumerate(label):
        angle = (c % 3) * np.pi / 3 + rng.normal(0, 0.08)
        off = rng.uniform(-3, 3)
        across = xx * np.sin(angle) - yy * np.cos(angle)
        centres = [off] if c < 3 else [off - 3.2, off + 3.2]
        thick = rng.uniform(0.8, 1.3)
        for m in centres:
            img[i, 0] += np.exp(-0.5 * ((across - m) / thick) ** 2)
    img += rng.normal(0, 0.45, img.shape)
    return torch.from_numpy(img) - 0.25, torch.from_numpy(label)


def augment(x, gen):
    n = len(x)
    shift = torch.randint(-2, 3, (2,), generator=gen)
    x = torch.roll(x, (int(shift[0]), int(shift[1])), dims=(2, 3))
    gain = 0.7 + 0.6 * torch.rand(n, 1, 1, 1, generator=gen)
    x = x * gain + 0.15 * torch.randn(x.shape, generator=gen)
    top = torch.randint(0, SIZE - 6, (n,), generator=gen)
    left = torch.randint(0, SIZE - 6, (n,), generator=gen)
    r = torch.arange(SIZE)
    rows = (r >= top[:, None]) & (r < top[:, None] + 6)
    cols = (r >= left[:, None]) & (r < left[:, None] + 6)
    return x * ~(rows[:, None, :, None] & cols[:, None, None, :])


def encoder(dim):
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, stride=2, padding=2), nn.BatchNorm2d(16), nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.BatchNorm2d(32), nn.ReLU(),
        nn.Conv2d(32, dim, 3, padding=1), nn.BatchNorm2d(dim), nn.ReLU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * dim, dim),
    )


def mlp(dim):
    return nn.Sequential(nn.Linear(dim, 2 * dim), nn.BatchNorm1d(2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))


def agreement(p, z):
    return 2 - 2 * F.cosine_similarity(p, z.detach(), dim=-1).mean()


class Byol(nn.Module):
    def __init__(self, dim, tau):
        super().__init__()
        self.online = nn.Sequential(encoder(dim), mlp(dim))
        self.predictor = mlp(dim)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.tau = tau

    def forward(self, a, b):
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        with torch.no_grad():
            za, zb = self.target(a), self.target(b)
        return 0.5 * (agreement(pa, zb) + agreement(pb, za))

    @torch.no_grad()
    def follow(self):
        for slow, fast in zip(self.target.parameters(), self.online.parameters()):
            slow.lerp_(fast, 1 - self.tau)


def probe(backbone, x, y, x_test, y_test):
    """Logistic regression on frozen features."""
    backbone.eval()
    with torch.no_grad():
        f, f_test = backbone(x), backbone(x_test)
    mean, std = f.mean(0), f.std(0) + 1e-5
    f, f_test = (f - mean) / std, (f_test - mean) / std
    head = nn.Linear(f.shape[1], 6)
    opt = torch.optim.LBFGS(head.parameters(), max_iter=60)

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(head(f), y) + 3e-3 * head.weight.pow(2).sum()
        loss.backward()
        return loss

    opt.step(closure)
    return (head(f_test).argmax(1) == y_test).float().mean().item()


def main(cfg=Cfg()):
    torch.manual_seed(cfg.seed)
    gen = torch.Generator().manual_seed(cfg.seed)
    pool, _ = strokes(cfg.n_unlabelled, seed=1)
    labelled, test = strokes(cfg.n_probe, seed=2), strokes(cfg.n_test, seed=3)

    net = Byol(cfg.dim, cfg.tau)
    raw = copy.deepcopy(net.online[0])
    learnable = [p for p in net.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(learnable, lr=cfg.lr, weight_decay=1e-4)
    for step in range(cfg.steps):
        x = pool[torch.randint(0, len(pool), (cfg.batch,), generator=gen)]
        loss = net(augment(x, gen), augment(x, gen))
        opt.zero_grad()
        loss.backward()
        opt.step()
        net.follow()
        if step % 30 == 0:
            print(f"step {step:3d}  agreement loss {loss.item():.4f}")

    print(f"probe on untrained encoder: {probe(raw, *labelled, *test):.3f}")
    print(f"probe on learned encoder:   {probe(net.online[0], *labelled, *test):.3f}")


if __name__ == "__main__":
    main()

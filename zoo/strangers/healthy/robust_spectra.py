"""
Adversarial training (FGSM with random start) of a spectrum classifier.

    python robust_spectra.py            # robust model
    python robust_spectra.py --eps 0    # ordinary training, for comparison

Spectra of five substances, 96 channels. A hostile (or merely dirty) instrument may move each channel by eps.
"""
import argparse
import contextlib

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.parametrizations import spectral_norm

CHANNELS = 96


def library(gen):
    """centres, widths, heights of six lines per substance; the first three lines are common to all five"""
    common = torch.rand(3, generator=gen) * 80 + 8
    own = torch.rand(5, 3, generator=gen) * 80 + 8
    centres = torch.cat([common.expand(5, 3), own], 1)
    widths = 1.5 + 1.5 * torch.rand(5, 6, generator=gen)
    heights = torch.cat([torch.full((5, 3), 1.5), 0.8 + 0.5 * torch.rand(5, 3, generator=gen)], 1)
    return centres, widths, heights


def measure(lib, n, gen):
    centres, widths, heights = lib
    kind = torch.randint(5, (n,), generator=gen)
    c = centres[kind] + 0.7 * torch.randn(n, 1, generator=gen)               # wavelength drift
    h = heights[kind] * (1 + 0.15 * torch.randn(n, 6, generator=gen))
    axis = torch.arange(CHANNELS).view(1, 1, -1)
    lines = (h[..., None] * torch.exp(-((axis - c[..., None]) / widths[kind][..., None]) ** 2)).sum(1)
    slope = 0.2 * torch.randn(n, 1, generator=gen) * torch.linspace(-1, 1, CHANNELS)
    return lines + slope + 0.12 * torch.randn(n, CHANNELS, generator=gen), kind


class Net(nn.Module):
    def __init__(self, mean: Tensor, scale: Tensor):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.features = nn.Sequential(
            spectral_norm(nn.Conv1d(1, 16, 7, padding=3, stride=2)), nn.LeakyReLU(0.1),
            spectral_norm(nn.Conv1d(16, 32, 5, padding=2, stride=2)), nn.LeakyReLU(0.1), nn.Flatten())
        self.head = nn.Linear(32 * 24, 5)

    def forward(self, x):
        return self.head(self.features(((x - self.mean) / self.scale).unsqueeze(1)))


@contextlib.contextmanager
def steady(model):
    """attack the model as it will be used: eval mode, weights held still; everything is put back afterwards"""
    was = model.training
    model.eval().requires_grad_(False)
    try:
        yield
    finally:
        model.train(was).requires_grad_(True)


def fgsm(model, x, y, eps, start=None):
    if eps == 0:
        return x
    delta = torch.zeros_like(x) if start is None else start
    delta.requires_grad_(True)
    with steady(model):
        up, = torch.autograd.grad(cross_entropy(model(x + delta), y), delta)
    return x + (delta.detach() + 1.25 * eps * up.sign()).clamp(-eps, eps)


def pgd(model, x, y, eps, steps=7):
    """a stronger attack than the one trained against - evaluation needs gradients here, of the input only"""
    delta = torch.zeros_like(x)
    with steady(model):
        for _ in range(steps):
            delta.requires_grad_(True)
            up, = torch.autograd.grad(cross_entropy(model(x + delta), y), delta)
            delta = (delta.detach() + eps / 3 * up.sign()).clamp(-eps, eps)
    return x + delta


def exam(model, x, y):
    model.eval()
    with torch.inference_mode():
        z = model(x)
        return cross_entropy(z, y).item(), (z.argmax(1) == y).float().mean().item()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--eps", type=float, default=0.2)
    ap.add_argument("--attack", type=float, default=0.2, help="strength of the attack in the exam")
    ap.add_argument("--epochs", type=int, default=12)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    torch.manual_seed(a.seed)
    gen = torch.Generator().manual_seed(a.seed)
    lib = library(gen)
    (x, y), (xv, yv), (xt, yt) = (measure(lib, n, gen) for n in (5000, 800, 1500))

    model = Net(x.mean(0), x.std())
    opt = torch.optim.Adam(model.parameters(), lr=a.lr, weight_decay=1e-4)
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, [a.epochs * 2 // 3, a.epochs * 5 // 6], gamma=0.2)
    for epoch in range(1, a.epochs + 1):
        model.train()
        total = 0.0
        for i in torch.randperm(len(x), generator=gen).split(100):
            start = torch.empty_like(x[i]).uniform_(-a.eps, a.eps) if a.eps else None
            hostile = fgsm(model, x[i], y[i], a.eps, start)
            loss = cross_entropy(model(hostile), y[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(i)
        sched.step()
        if epoch % 2 == 0 or epoch == 1:
            cl, ca = exam(model, xv, yv)
            rl, ra = exam(model, pgd(model, xv, yv, a.attack), yv)
            print(f"epoch {epoch:2d}  loss (attacked) {total / len(x):.4f}   val clean {cl:.4f} / {ca:.3f}   val PGD {rl:.4f} / {ra:.3f}")

    print("\ntest clean  loss %.4f  accuracy %.4f" % exam(model, xt, yt))
    print("test PGD-7  loss %.4f  accuracy %.4f" % exam(model, pgd(model, xt, yt, a.attack), yt))


if __name__ == "__main__":
    main()

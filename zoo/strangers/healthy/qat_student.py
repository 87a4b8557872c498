#!/usr/bin/env python
"""
Quantisation-aware training of a 4-bit student under a float teacher.

The rounding has no useful derivative, so FakeQuant passes the gradient straight through inside the
representable range and blocks it outside (Bengio et al. 2013).
"""
import argparse
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


# ------------------------------------------------------------------ data: little noisy glyphs
KINDS = ["disc", "ring", "square", "cross", "bars"]


def render(n, gen, size=14):
    """n images with a random glyph, centre, radius and background noise, labels balanced."""
    y = torch.arange(n) % len(KINDS)
    y = y[torch.randperm(n, generator=gen)]
    u = lambda lo, hi: torch.rand(n, 1, 1, generator=gen) * (hi - lo) + lo
    ax = torch.arange(size).float()
    dy, dx = ax.view(1, -1, 1) - u(5, 8), ax.view(1, 1, -1) - u(5, 8)
    r = u(3.0, 4.6)
    rad, cheb = (dx ** 2 + dy ** 2).sqrt(), torch.maximum(dx.abs(), dy.abs())
    soft = lambda d: torch.sigmoid(4 * d)
    stack = torch.stack([
        soft(r - rad),
        soft(1.0 - (rad - r + 0.5).abs()),
        soft(r * 0.85 - cheb),
        soft(r - cheb) * torch.maximum(soft(1.0 - dx.abs()), soft(1.0 - dy.abs())),
        soft(r - cheb) * soft(2 * torch.cos(dx * 2 * math.pi / 3)),
    ], dim=1)
    img = stack[torch.arange(n), y] * u(0.7, 1.2) + 0.25 * torch.randn(n, size, size, generator=gen)
    return img.unsqueeze(1), y


# ------------------------------------------------------------------ quantisation
class _RoundClamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v, lo, hi):
        ctx.save_for_backward((v >= lo) & (v <= hi))
        return v.round().clamp(lo, hi)

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside, None, None


def fake_quant_weight(w, bits):
    """Symmetric, one scale per output channel. The scale is a statistic of w, treated as a constant."""
    top = 2 ** (bits - 1) - 1
    scale = w.detach().flatten(1).abs().amax(1).clamp_min(1e-6) / top
    scale = scale.view(-1, *[1] * (w.dim() - 1))
    return _RoundClamp.apply(w / scale, -top, top) * scale


class ActQuant(nn.Module):
    """Unsigned activations; range follows a running maximum, as a buffer, in train mode only."""

    def __init__(self, bits):
        super().__init__()
        self.levels = 2 ** bits - 1
        self.register_buffer("peak", torch.tensor(4.0))

    def forward(self, x):
        if self.training:
            self.peak.lerp_(x.detach().amax(), 0.02)
        scale = self.peak.clone() / self.levels
        return _RoundClamp.apply(x / scale, 0, self.levels) * scale


class QConv2d(nn.Conv2d):
    bits = 4

    def forward(self, x):
        return self._conv_forward(x, fake_quant_weight(self.weight, self.bits), self.bias)


class QLinear(nn.Linear):
    bits = 4

    def forward(self, x):
        return F.linear(x, fake_quant_weight(self.weight, self.bits), self.bias)


def make_teacher():
    def blk(i, o):
        return [nn.Conv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*blk(1, 24), *blk(24, 48), nn.Flatten(), nn.Linear(48 * 9, 5))


def make_student(bits):
    def blk(i, o):
        return [QConv2d(i, o, 3, padding=1, bias=False), nn.BatchNorm2d(o), nn.ReLU(), ActQuant(bits), nn.MaxPool2d(2)]
    return nn.Sequential(*blk(1, 8), *blk(8, 16), nn.Flatten(), QLinear(16 * 9, 5))


# ------------------------------------------------------------------ training
def evaluate(net, x, y):
    net.eval()
    with torch.inference_mode():
        out = net(x)
        return F.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def fit(name, net, criterion, train, val, epochs, lr, gen, batch=100):
    x, y = train
    opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=1e-3)
    n_steps = epochs * (len(x) // batch)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, lr, total_steps=n_steps, pct_start=0.15)
    for ep in range(epochs):
        net.train()
        total = 0.0
        for idx in torch.randperm(len(x), generator=gen).split(batch):
            loss = criterion(net(x[idx]), x[idx], y[idx])
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            total += loss.item() * len(idx)
        vl, va = evaluate(net, *val)
        print(f"{name:8s} epoch {ep + 1:2d}/{epochs}  loss {total / len(x):.4f}   val ce {vl:.4f}  acc {va:.4f}")
    return net


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=3)
    p.add_argument("--bits", type=int, default=4)
    p.add_argument("--temperature", type=float, default=2.0)
    p.add_argument("--alpha", type=float, default=0.5, help="share of the teacher in the student's loss")
    a = p.parse_args()
    torch.manual_seed(a.seed)
    gen = torch.Generator().manual_seed(a.seed)
    train, val, test = render(4000, gen), render(1000, gen), render(1000, gen)
    mu, sd = train[0].mean(), train[0].std()
    train, val, test = (((x - mu) / sd, y) for x, y in (train, val, test))

    teacher = fit("teacher", make_teacher(), lambda o, _, t: F.cross_entropy(o, t), train, val, 8, 3e-3, gen)
    teacher.eval().requires_grad_(False)

    T = a.temperature

    def distil(out, xb, yb):
        with torch.no_grad():
            soft = F.log_softmax(teacher(xb) / T, dim=1)
        kl = F.kl_div(F.log_softmax(out / T, dim=1), soft, reduction="batchmean", log_target=True)
        return a.alpha * T * T * kl + (1 - a.alpha) * F.cross_entropy(out, yb)

    student = fit(f"{a.bits}-bit", make_student(a.bits), distil, train, val, 14, 4e-3, gen)
    count = lambda m: sum(q.numel() for q in m.parameters())
    for name, net in (("teacher", teacher), ("student", student)):
        print(f"test  {name}  {count(net):6d} weights  ce %.4f  acc %.4f" % evaluate(net, *test))


if __name__ == "__main__":
    main()

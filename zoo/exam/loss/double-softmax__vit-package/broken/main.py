import math

import torch
import torch.nn.functional as F

from model import TinyViT

torch.manual_seed(11)
CLASSES, SIDE = 12, 16


def strokes(n, g):
    y = torch.randint(0, CLASSES, (n,), generator=g)
    theta = y * math.pi / CLASSES + 0.06 * torch.randn(n, generator=g)
    shift = torch.rand(n, 1, 1, generator=g) * 6 - 3
    ax = torch.linspace(-7.5, 7.5, SIDE)
    yy, xx = torch.meshgrid(ax, ax, indexing="ij")
    d = xx[None] * torch.cos(theta)[:, None, None] + yy[None] * torch.sin(theta)[:, None, None] - shift
    img = torch.exp(-d ** 2) + 0.1 * torch.randn(n, SIDE, SIDE, generator=g)
    return img.unsqueeze(1), y


def run():
    g = torch.Generator().manual_seed(5)
    x, y = strokes(1800, g)
    xt, yt = strokes(600, g)
    net = TinyViT(side=SIDE, patch=4, dim=48, depth=2, heads=4, classes=CLASSES)
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    steps = 0
    for epoch in range(6):
        net.train()
        order = torch.randperm(len(x), generator=g)
        tot = 0.0
        for idx in order.split(45):
            loss = F.cross_entropy(net(x[idx]), y[idx])
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            tot += loss.item() * len(idx)
            steps += 1
        net.eval()
        with torch.no_grad():
            acc = (net(xt).argmax(1) == yt).float().mean().item()
        print(f"[{epoch}] steps {steps} loss {tot / len(x):.4f} test accuracy {acc:.3f}")


if __name__ == "__main__":
    run()

"""DANN on tabular domains: the gradient of the domain head is turned around on purpose."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class Reverse(Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -ctx.lam * grad, None


class DANN(nn.Module):
    def __init__(self, d_in, d_h=32):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(d_in, 64), nn.ReLU(), nn.Linear(64, d_h), nn.ReLU())
        self.label = nn.Linear(d_h, 2)
        self.domain = nn.Sequential(nn.Linear(d_h, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x, lam=0.0):
        z = self.features(x)
        return self.label(z), self.domain(Reverse.apply(z, lam)).squeeze(1)


def hospital(n, rng, site):
    """Four features carry the diagnosis; four others are site artefacts that only the first site ties to it."""
    y = rng.integers(0, 2, n)
    sig = rng.normal(size=(n, 4)) + 1.2 * (2 * y[:, None] - 1)
    tie = 0.5 * (2 * y[:, None] - 1) if site == 0 else 1.5
    art = rng.normal(size=(n, 4)) + tie
    return torch.tensor(np.hstack([sig, art]), dtype=torch.float32), torch.tensor(y)


def accuracy(net, x, y):
    net.eval()
    with torch.no_grad():
        return (net(x)[0].argmax(1) == y).float().mean().item()


def main(seed=12, steps=600, batch=64):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    xs, ys = hospital(2000, rng, 0)
    xt, _ = hospital(2000, rng, 1)
    x_val, y_val = hospital(500, rng, 0)
    x_test, y_test = hospital(1000, rng, 1)
    net = DANN(8)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(steps):
        net.train()
        lam = 0.3 * (2 / (1 + np.exp(-10 * step / steps)) - 1)
        i = torch.randint(0, len(xs), (batch,))
        j = torch.randint(0, len(xt), (batch,))
        logits, d_s = net(xs[i], lam)
        _, d_t = net(xt[j], lam)
        task = F.cross_entropy(logits, ys[i])
        dom = 0.5 * (F.binary_cross_entropy_with_logits(d_s, torch.zeros(batch))
                     + F.binary_cross_entropy_with_logits(d_t, torch.ones(batch)))
        opt.zero_grad()
        (task + dom).backward()
        opt.step()
        if (step + 1) % 100 == 0:
            print(f"{step + 1:4d} task {task.item():.3f} domain {dom.item():.3f} source val {accuracy(net, x_val, y_val):.3f}")
    print(f"target-site test accuracy {accuracy(net, x_test, y_test):.3f}")


main()

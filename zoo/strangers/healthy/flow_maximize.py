"""Density estimation with affine coupling layers; the optimizer ascends the log-likelihood."""
import math

import torch
from torch import nn


def two_moons(n, gen):
    t = math.pi * torch.rand(n, generator=gen)
    upper = torch.rand(n, generator=gen) < 0.5
    x = torch.where(upper, torch.cos(t), 1 - torch.cos(t))
    y = torch.where(upper, torch.sin(t), 0.5 - torch.sin(t))
    pts = torch.stack([x, y], 1) + 0.08 * torch.randn(n, 2, generator=gen)
    return (pts - torch.tensor([0.5, 0.25])) / torch.tensor([0.87, 0.5])


class Coupling(nn.Module):
    def __init__(self, swap, width=48):
        super().__init__()
        self.swap = swap
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2))
        # every coupling starts as the identity map
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x[:, :1], x[:, 1:]
        if self.swap:
            a, b = b, a
        s, t = self.net(a).chunk(2, dim=1)
        s = 2 * torch.tanh(s / 2)
        b = b * torch.exp(s) + t
        return torch.cat([b, a] if self.swap else [a, b], dim=1), s.squeeze(1)


class Flow(nn.Module):
    def __init__(self, depth=8):
        super().__init__()
        self.steps = nn.ModuleList(Coupling(k % 2 == 1) for k in range(depth))

    def log_prob(self, x):
        logdet = x.new_zeros(len(x))
        for step in self.steps:
            x, ld = step(x)
            logdet = logdet + ld
        return -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi) + logdet


def gaussian_baseline(train, test):
    dist = torch.distributions.MultivariateNormal(train.mean(0), torch.cov(train.T))
    return dist.log_prob(test).mean().item()


def main():
    torch.manual_seed(3)
    gen = torch.Generator().manual_seed(30)
    train, test = two_moons(4000, gen), two_moons(1000, gen)
    flow = Flow()
    opt = torch.optim.Adam(flow.parameters(), lr=3e-3, maximize=True)
    epochs = 24
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, epochs)
    for epoch in range(epochs):
        flow.train()
        gain = 0.0
        for idx in torch.randperm(len(train)).split(200):
            ll = flow.log_prob(train[idx]).mean()
            opt.zero_grad()
            ll.backward()
            opt.step()
            gain += ll.item() * len(idx)
        sched.step()
        if epoch % 6 == 5:
            print(f"epoch {epoch + 1:2d}: train log-likelihood {gain / len(train):+.3f} nats")
    flow.eval()
    with torch.no_grad():
        ll = flow.log_prob(test).mean().item()
    print(f"held-out log-likelihood {ll:+.3f}   full-covariance Gaussian {gaussian_baseline(train, test):+.3f}")


if __name__ == "__main__":
    main()

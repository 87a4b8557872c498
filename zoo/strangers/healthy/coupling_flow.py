"""Density estimation on the two moons with affine coupling layers (RealNVP).

The last layer of every conditioner starts at zero, so the flow begins as the identity.
Masks are buffers, the base distribution has no parameters, the loss is a log density.
"""
import argparse
import math

import torch
from sklearn.datasets import make_moons
from torch import nn


class Coupling(nn.Module):
    def __init__(self, flip, width=48):
        super().__init__()
        mask = torch.tensor([0.0, 1.0]) if flip else torch.tensor([1.0, 0.0])
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(
            nn.Linear(2, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 4)
        )
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        log_s, t = self.net(x * self.mask).chunk(2, dim=1)
        log_s = 2 * torch.tanh(log_s / 2) * (1 - self.mask)
        t = t * (1 - self.mask)
        return x * log_s.exp() + t, log_s.sum(1)

    def inverse(self, z):
        log_s, t = self.net(z * self.mask).chunk(2, dim=1)
        log_s = 2 * torch.tanh(log_s / 2) * (1 - self.mask)
        t = t * (1 - self.mask)
        return (z - t) * (-log_s).exp()


class Flow(nn.Module):
    def __init__(self, n_layers=8):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(flip=bool(i % 2)) for i in range(n_layers))

    def log_prob(self, x):
        log_det = x.new_zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            log_det = log_det + ld
        base = -0.5 * (x ** 2).sum(1) - math.log(2 * math.pi)
        return base + log_det

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, 2)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=33)
    opt = parser.parse_args()
    torch.manual_seed(opt.seed)

    def moons(n, seed):
        return torch.tensor(make_moons(n, noise=0.08, random_state=seed)[0], dtype=torch.float32)

    train, val, test = moons(6000, 1), moons(1000, 2), moons(2000, 3)
    mean, std = train.mean(0), train.std(0)
    train, val, test = [(a - mean) / std for a in (train, val, test)]

    flow = Flow()
    optimizer = torch.optim.Adam(flow.parameters(), lr=opt.lr)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=opt.lr, total_steps=opt.steps)
    running = 0.0
    flow.train()
    for step in range(1, opt.steps + 1):
        batch = train[torch.randint(len(train), (opt.batch,))]
        loss = -flow.log_prob(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(flow.parameters(), 10.0)
        optimizer.step()
        schedule.step()
        running += loss.item()
        if step % 100 == 0:
            with torch.no_grad():
                v = -flow.log_prob(val).mean().item()
            print(f"step {step:5d}  train {running / 100:.4f}  val {v:.4f}  lr {schedule.get_last_lr()[0]:.2e}")
            running = 0.0

    flow.eval()
    gauss = torch.distributions.MultivariateNormal(train.mean(0), torch.cov(train.T))
    with torch.no_grad():
        ours, theirs = -flow.log_prob(test).mean().item(), -gauss.log_prob(test).mean().item()
    s = flow.sample(2000)
    print(f"test nll {ours:.4f}  (full-covariance gaussian {theirs:.4f})")
    print(f"sample mean {s.mean(0).tolist()}, std {s.std(0).tolist()}")


if __name__ == "__main__":
    main()

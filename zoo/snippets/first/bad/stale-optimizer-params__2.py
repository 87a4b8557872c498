import argparse

import torch
import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        dims = [2] + [width] * depth
        layers = []
        for a, b in zip(dims[:-1], dims[1:]):
            layers += [nn.Linear(a, b), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x)


def target(x):
    return torch.sin(3 * x[:, :1]) * torch.cos(2 * x[:, 1:])


def fit(net, opt, steps):
    for _ in range(steps):
        x = torch.rand(512, 2) * 4 - 2
        loss = (net(x) - target(x)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, default=64)
    ap.add_argument("--depth", type=int, default=3)
    ap.add_argument("--tol", type=float, default=1e-4)
    args = ap.parse_args()
    torch.manual_seed(0)
    net = MLP(args.width, args.depth)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    err = fit(net, opt, 2000)
    if err > args.tol:
        net = MLP(args.width * 2, args.depth)
        err = fit(net, opt, 4000)
    print("final", err)


if __name__ == "__main__":
    main()

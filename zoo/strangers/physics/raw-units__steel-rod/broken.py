"""Physics-informed network for the cooling of a steel rod, both ends held at room temperature."""
import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Rod:
    length: float = 0.20        # m
    alpha: float = 2.3e-5       # m^2/s
    t_end: float = 600.0        # s
    ambient: float = 293.15     # K
    rise: float = 80.0          # K


ROD = Rod()


def initial(x):
    s = math.pi * x / ROD.length
    return ROD.ambient + ROD.rise * (torch.sin(s) + 0.3 * torch.sin(2 * s))


def analytic(x, t):
    k = math.pi / ROD.length
    first = torch.exp(-ROD.alpha * k ** 2 * t) * torch.sin(k * x)
    second = torch.exp(-ROD.alpha * (2 * k) ** 2 * t) * torch.sin(2 * k * x)
    return ROD.ambient + ROD.rise * (first + 0.3 * second)


class Temperature(nn.Module):
    def __init__(self, width=40, depth=3):
        super().__init__()
        layers, d = [], 2
        for _ in range(depth):
            layers += [nn.Linear(d, width), nn.Tanh()]
            d = width
        self.body = nn.Sequential(*layers, nn.Linear(d, 1))

    def forward(self, x, t):
        return self.body(torch.cat([x, t], dim=1))


def d(out, inp):
    return torch.autograd.grad(out.sum(), inp, create_graph=True)[0]


class Problem:
    def __init__(self, seed):
        self.gen = torch.Generator().manual_seed(seed)

    def rand(self, n, scale):
        return scale * torch.rand(n, 1, generator=self.gen)

    def pde(self, net, n=300):
        x = self.rand(n, ROD.length).requires_grad_()
        t = self.rand(n, ROD.t_end).requires_grad_()
        temp = net(x, t)
        res = d(temp, t) - ROD.alpha * d(d(temp, x), x)
        return res.pow(2).mean()

    def start(self, net, n=80):
        x = self.rand(n, ROD.length)
        miss = net(x, torch.zeros_like(x)) - initial(x)
        return miss.pow(2).mean()

    def ends(self, net, n=80):
        t = self.rand(n, ROD.t_end)
        x = ROD.length * torch.randint(0, 2, (n, 1), generator=self.gen).float()
        miss = net(x, t) - ROD.ambient
        return miss.pow(2).mean()


def relative_error(net):
    x = torch.linspace(0, ROD.length, 61)
    t = torch.linspace(0, ROD.t_end, 61)
    xx, tt = torch.meshgrid(x, t, indexing="ij")
    xx, tt = xx.reshape(-1, 1), tt.reshape(-1, 1)
    with torch.no_grad():
        truth = analytic(xx, tt)
        return ((net(xx, tt) - truth).norm() / (truth - ROD.ambient).norm()).item()


def main(steps=3000, lr=3e-3):
    torch.manual_seed(0)
    net, problem = Temperature(), Problem(1)
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    for step in range(1, steps + 1):
        pde, start, ends = problem.pde(net), problem.start(net), problem.ends(net)
        loss = pde + start + ends
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        if step % 300 == 0:
            print(f"step {step:4d}  loss {loss.item():.3e}  (pde {pde.item():.2e}, start {start.item():.2e}, ends {ends.item():.2e})")
    print(f"relative error of the temperature rise: {100 * relative_error(net):.2f} %")


if __name__ == "__main__":
    main()

"""
Heat equation u_t = a u_xx on [0,1]x[0,1] with a two-mode initial state.

Boundary and initial values are built into the ansatz u = u0(x) + t x (1-x) N(x,t), so the residual is the
only loss. Everything is dimensionless. Optimised with L-BFGS in double precision: the closure owns zero_grad and
backward, the collocation points are a fixed Sobol set.
"""
import math
import time

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(42)
A = 0.05


def initial(x):
    return torch.sin(math.pi * x) + 0.5 * torch.sin(3 * math.pi * x)


def exact(x, t):
    return (torch.exp(-A * math.pi ** 2 * t) * torch.sin(math.pi * x)
            + 0.5 * torch.exp(-9 * A * math.pi ** 2 * t) * torch.sin(3 * math.pi * x))


class Ansatz(nn.Module):
    def __init__(self, width=28, depth=3):
        super().__init__()
        layers, d = [], 2
        for _ in range(depth):
            layers += [nn.Linear(d, width), nn.Tanh()]
            d = width
        self.core = nn.Sequential(*layers, nn.Linear(d, 1))
        for m in self.core:
            if isinstance(m, nn.Linear):
                nn.init.xavier_normal_(m.weight)
                nn.init.zeros_(m.bias)

    def forward(self, x, t):
        n = self.core(torch.cat([2 * x - 1, 2 * t - 1], dim=1))
        return initial(x) + t * x * (1 - x) * n


def d(u, v):
    return torch.autograd.grad(u.sum(), v, create_graph=True)[0]


def residual(net, pts):
    x, t = (c.clone().requires_grad_() for c in pts.split(1, dim=1))
    u = net(x, t)
    return d(u, t) - A * d(d(u, x), x)


def rel_l2(net, m=81):
    g = torch.linspace(0, 1, m)
    x, t = (q.reshape(-1, 1) for q in torch.meshgrid(g, g, indexing="ij"))
    with torch.no_grad():
        return ((net(x, t) - exact(x, t)).norm() / exact(x, t).norm()).item()


points = torch.quasirandom.SobolEngine(2, scramble=True, seed=1).draw(600, dtype=torch.float64)
check = torch.rand(400, 2, generator=torch.Generator().manual_seed(9))   # residual where it was not trained

net = Ansatz()
opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=25, history_size=50,
                        tolerance_grad=1e-9, tolerance_change=1e-12, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = residual(net, points).square().mean()
    loss.backward()
    return loss


t0 = time.time()
print(f"round  0  residual {residual(net, points).square().mean().item():.3e}")
for k in range(1, 41):
    opt.step(closure)
    if k % 5 == 0:
        tr = residual(net, points).square().mean().item()
        ck = residual(net, check).square().mean().item()
        print(f"round {k:2d}  residual {tr:.3e}  at unseen points {ck:.3e}  ({time.time() - t0:.1f}s)")

print(f"relative L2 error against the series solution: {rel_l2(net):.2e}")

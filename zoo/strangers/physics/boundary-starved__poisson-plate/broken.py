"""PINN for  u_xx + u_yy = f  on the unit square with Dirichlet data on the four edges."""
import math

import torch

torch.manual_seed(0)

A, B = math.pi, 3 * math.pi
N_INSIDE, N_EDGE, STEPS, LR = 256, 40, 2000, 2e-3
W_BC = 1.0


def exact(x, y):
    return torch.sin(A * x + 0.5) * torch.cos(B * y) + x * y


def source(x, y):
    return -(A ** 2 + B ** 2) * torch.sin(A * x + 0.5) * torch.cos(B * y)


class Field(torch.nn.Module):
    def __init__(self, width=48):
        super().__init__()
        self.a = torch.nn.Linear(2, width)
        self.b = torch.nn.Linear(width, width)
        self.c = torch.nn.Linear(width, width)
        self.d = torch.nn.Linear(width, 1)

    def forward(self, x, y):
        h = torch.cat([2 * x - 1, 2 * y - 1], dim=1)
        h = torch.tanh(self.a(h))
        h = torch.tanh(self.b(h))
        h = torch.tanh(self.c(h))
        return self.d(h)


def grad(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


def residual(net, x, y):
    x.requires_grad_(True)
    y.requires_grad_(True)
    u = net(x, y)
    return grad(grad(u, x), x) + grad(grad(u, y), y) - source(x, y)


def edge_points(n):
    s = torch.rand(n, 1)
    zero, one = torch.zeros(n, 1), torch.ones(n, 1)
    x = torch.cat([s, s, zero, one])
    y = torch.cat([zero, one, s, s])
    return x, y


net = Field()
opt = torch.optim.Adam(net.parameters(), lr=LR)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)

for step in range(1, STEPS + 1):
    r = residual(net, torch.rand(N_INSIDE, 1), torch.rand(N_INSIDE, 1))
    loss_pde = (r ** 2).mean()
    xb, yb = edge_points(N_EDGE)
    loss_bc = ((net(xb, yb) - exact(xb, yb)) ** 2).mean()
    loss = loss_pde + W_BC * loss_bc
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 200 == 0:
        print(f"{step:5d}  pde {loss_pde.item():.4e}  bc {loss_bc.item():.4e}  total {loss.item():.4e}")

with torch.no_grad():
    g = torch.linspace(0, 1, 81)
    X, Y = torch.meshgrid(g, g, indexing="ij")
    X, Y = X.reshape(-1, 1), Y.reshape(-1, 1)
    err = net(X, Y) - exact(X, Y)
    print(f"relative L2 error on the grid: {(err.norm() / exact(X, Y).norm()).item():.4f}")

# Homework 5, problem 2: solve u_t = alpha u_xx on [0,1] x [0,0.5] with a PINN
#   u(x,0) = sin(pi x) + 0.5 sin(2 pi x),  u(0,t) = u(1,t) = 0
import math
import torch
import torch.nn as nn

torch.manual_seed(2)
alpha = 0.2
N_F, N_B, N_0 = 400, 64, 100
ITERS = 900


def exact(x, t):
    a = torch.sin(math.pi * x) * torch.exp(-alpha * math.pi ** 2 * t)
    b = 0.5 * torch.sin(2 * math.pi * x) * torch.exp(-4 * alpha * math.pi ** 2 * t)
    return a + b


class Net(nn.Module):
    def __init__(self, width=32, depth=3):
        super().__init__()
        dims = [2] + [width] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.out = nn.Linear(width, 1)
        for l in self.layers:
            nn.init.xavier_normal_(l.weight)
            nn.init.zeros_(l.bias)

    def forward(self, x, t):
        h = torch.cat([2 * x - 1, 4 * t - 1], dim=1)
        for l in self.layers:
            h = torch.tanh(l(h))
        return self.out(h)


def grad(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def pde_residual(net, x, t):
    u = net(x, t)
    u_t, u_x = grad(u, t), grad(u, x)
    return u_t - alpha * grad(u_x, x)


def sq_err(pred, target):
    return ((pred - target) ** 2).mean()


def initial_points(n):
    x0 = torch.linspace(0, 1, n)
    u0 = torch.sin(math.pi * x0) + 0.5 * torch.sin(2 * math.pi * x0)
    return x0.reshape(-1, 1), torch.zeros(n, 1), u0


def boundary_points(n):
    t = 0.5 * torch.rand(n, 1)
    x = (torch.arange(n) % 2).float().reshape(-1, 1)
    return x, t


net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=4e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, ITERS, eta_min=1e-4)

x0, t0, u0 = initial_points(N_0)
for it in range(ITERS):
    xf = torch.rand(N_F, 1, requires_grad=True)
    tf = (0.5 * torch.rand(N_F, 1)).requires_grad_(True)
    xb, tb = boundary_points(N_B)

    ub = net(xb, tb)
    loss_f = pde_residual(net, xf, tf).pow(2).mean()
    loss_0 = sq_err(net(x0, t0), u0)
    loss_b = sq_err(ub, torch.zeros_like(ub))
    loss = loss_f + 10 * loss_0 + 10 * loss_b

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    if it % 300 == 0 or it == ITERS - 1:
        print(f"it {it:5d}  total {loss.item():.3e}  pde {loss_f.item():.3e}  "
              f"ic {loss_0.item():.3e}  bc {loss_b.item():.3e}")

with torch.no_grad():
    gx, gt = torch.meshgrid(torch.linspace(0, 1, 101), torch.linspace(0, 0.5, 51), indexing="ij")
    gx, gt = gx.reshape(-1, 1), gt.reshape(-1, 1)
    u_hat, u_ref = net(gx, gt), exact(gx, gt)
    rel = (u_hat - u_ref).norm() / u_ref.norm()
print(f"relative L2 error on the grid: {rel.item():.4f}")

"""Physics-informed network for the 1-d heat equation  u_t = k u_xx  on a rod with cold ends."""
import math

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(6)
K = 0.05


def exact(x, t):
    mode = lambda n: torch.sin(n * math.pi * x) * torch.exp(-K * (n * math.pi) ** 2 * t)
    return mode(1) + 0.5 * mode(3)


class Rod(nn.Module):
    def __init__(self, h=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(),
                                 nn.Linear(h, 1))

    def forward(self, x, t):
        return self.net(torch.cat([2 * x - 1, 2 * t - 1], dim=1))


def d(out, wrt):
    return torch.autograd.grad(out, wrt, torch.ones_like(out), create_graph=True)[0]


def residual(u_net, x, t):
    u = u_net(x, t)
    return d(u, t) - K * d(d(u, x), x)


# collocation, initial and boundary points
sobol = torch.quasirandom.SobolEngine(2, scramble=True, seed=6)
inner = sobol.draw(400, dtype=torch.float64)
x_in = inner[:, :1].clone().requires_grad_()
t_in = inner[:, 1:].clone().requires_grad_()
x_0 = torch.linspace(0, 1, 64).unsqueeze(1)
t_0 = torch.zeros_like(x_0)
u_0 = exact(x_0, t_0)
t_b = torch.linspace(0, 1, 40).unsqueeze(1)
t_edge = torch.cat([t_b, t_b])
x_edge = torch.cat([torch.zeros_like(t_b), torch.ones_like(t_b)])

net = Rod()


def losses():
    pde = residual(net, x_in, t_in).pow(2).mean()
    ini = (net(x_0, t_0) - u_0).pow(2).mean()
    edge = net(x_edge, t_edge).pow(2).mean()
    return pde, ini, edge


def total():
    pde, ini, edge = losses()
    return pde + 20 * ini + 20 * edge


def relative_error():
    """L2 error on a grid that shares no point with the collocation set."""
    g = (torch.arange(50) + 0.5) / 50
    x, t = (v.reshape(-1, 1) for v in torch.meshgrid(g, g, indexing="ij"))
    with torch.no_grad():
        return ((net(x, t) - exact(x, t)).norm() / exact(x, t).norm()).item()


adam = torch.optim.Adam(net.parameters(), lr=5e-3)
decay = torch.optim.lr_scheduler.ExponentialLR(adam, gamma=0.997)
for it in range(600):
    adam.zero_grad()
    loss = total()
    loss.backward()
    adam.step()
    decay.step()
    if it % 100 == 0:
        print(f"adam  {it:4d}  loss {loss.item():.3e}  rel. error {relative_error():.4f}")

lbfgs = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=20, history_size=30, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    value = total()
    value.backward()
    return value


for outer in range(12):
    value = lbfgs.step(closure)
    if outer % 3 == 0:
        print(f"lbfgs {outer:4d}  loss {value.item():.3e}  rel. error {relative_error():.4f}")

print(f"relative L2 error {relative_error():.5f} (zero solution 1.00000), terms "
      + " ".join(f"{v.item():.1e}" for v in losses()))

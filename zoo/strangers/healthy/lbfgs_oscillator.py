"""Damped oscillator u'' + 2 d u' + w^2 u = 0 with hard initial conditions; full-batch L-BFGS, closure style."""
import math

import torch
from torch import nn

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)
D, W, T_END = 0.4, 3.0, 3.0


def exact(t):
    om = math.sqrt(W ** 2 - D ** 2)
    return torch.exp(-D * t) * (torch.cos(om * t) + D / om * torch.sin(om * t))


class Ansatz(nn.Module):
    """u(t) = 1 + t^2 N(t): u(0)=1 and u'(0)=0 hold whatever N is."""

    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t):
        return 1 + t ** 2 * self.net(2 * t / T_END - 1)


def residual(model, t):
    u = model(t)
    du = torch.autograd.grad(u.sum(), t, create_graph=True)[0]
    ddu = torch.autograd.grad(du.sum(), t, create_graph=True)[0]
    return (ddu + 2 * D * du + W ** 2 * u) / W ** 2


model = Ansatz()
t_col = torch.linspace(0, T_END, 96).unsqueeze(1).requires_grad_(True)
opt = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=20, history_size=30, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    loss = residual(model, t_col).pow(2).mean()
    loss.backward()
    return loss


for outer in range(1, 26):
    loss = opt.step(closure)
    if outer % 5 == 0:
        print(f"outer {outer:2d}  residual {loss.item():.3e}")

model.eval()
with torch.no_grad():
    t = torch.linspace(0, T_END, 301).unsqueeze(1)
    u = exact(t)
    err = (model(t) - u).norm() / u.norm()
print(f"relative L2 error against the closed form: {err.item():.2e}")

"""Damped oscillator u'' + 0.4 u' + 4 u = 0, u(0)=1, u'(0)=0 on [0, 5]: Adam first, then L-BFGS, always the same collocation points."""
import math

import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)

T_END, DAMP, STIFF = 5.0, 0.4, 4.0


def exact(t):
    w = math.sqrt(STIFF - DAMP ** 2 / 4)
    return torch.exp(-DAMP * t / 2) * (torch.cos(w * t) + DAMP / (2 * w) * torch.sin(w * t))


class Ansatz(torch.nn.Module):
    """u(t) = 1 + t^2 N(t): the initial conditions hold exactly."""

    def __init__(self, width=24):
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Linear(1, width), torch.nn.Tanh(),
            torch.nn.Linear(width, width), torch.nn.Tanh(),
            torch.nn.Linear(width, 1))

    def forward(self, t):
        s = 2 * t / T_END - 1
        return 1 + (t / T_END) ** 2 * self.net(s)


def residual(model, t):
    u = model(t)
    du, = torch.autograd.grad(u.sum(), t, create_graph=True)
    ddu, = torch.autograd.grad(du.sum(), t, create_graph=True)
    return ddu + DAMP * du + STIFF * u


model = Ansatz()
t_col = torch.linspace(0, T_END, 80).unsqueeze(1).requires_grad_(True)
t_test = (torch.rand(200, 1) * T_END)


def objective():
    return residual(model, t_col).pow(2).mean()


def report(stage, step, loss):
    with torch.no_grad():
        err = (model(t_test) - exact(t_test)).pow(2).mean().sqrt().item()
    print(f"{stage:6s} {step:4d} residual {loss:.3e} test rmse {err:.3e}")


adam = torch.optim.Adam(model.parameters(), lr=5e-3)
for step in range(1, 501):
    adam.zero_grad()
    loss = objective()
    loss.backward()
    adam.step()
    if step % 100 == 0:
        report("adam", step, loss.item())

lbfgs = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=40, history_size=30, line_search_fn="strong_wolfe")


def closure():
    lbfgs.zero_grad()
    loss = objective()
    loss.backward()
    return loss


for outer in range(1, 13):
    loss = lbfgs.step(closure)
    if outer % 2 == 0:
        report("lbfgs", outer, loss.item())

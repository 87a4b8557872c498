"""Damped oscillator u'' + 2 d u' + w^2 u = 0 solved by a network and L-BFGS.

Every closure call uses the same collocation points: L-BFGS needs a deterministic objective.
The initial conditions hold by construction, u(t) = 1 + t^2 N(t) with u(0) = 1, u'(0) = 0, so the
residual is the only term. Evaluation of the residual needs autograd on purpose.
"""
import math

import torch
from torch import nn

torch.manual_seed(2)
torch.set_default_dtype(torch.float64)

DAMP, OMEGA, T_END = 0.3, 3.0, 3.0


class Solution(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(1, width), nn.Tanh(),
            nn.Linear(width, width), nn.Tanh(),
            nn.Linear(width, 1),
        )

    def forward(self, t):
        return 1.0 + t ** 2 * self.net(2 * t / T_END - 1)


def residual(u_fn, t):
    t = t.clone().requires_grad_(True)
    u = u_fn(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    (ddu,) = torch.autograd.grad(du.sum(), t, create_graph=True)
    return (ddu + 2 * DAMP * du + OMEGA ** 2 * u) / OMEGA ** 2


def exact(t):
    wd = math.sqrt(OMEGA ** 2 - DAMP ** 2)
    return torch.exp(-DAMP * t) * (torch.cos(wd * t) + DAMP / wd * torch.sin(wd * t))


def main():
    t_col = torch.linspace(0, T_END, 120).unsqueeze(1)
    t_test = (torch.rand(500, 1) * T_END).sort(0).values      # never used for fitting
    u = Solution()
    opt = torch.optim.LBFGS(u.parameters(), lr=1.0, max_iter=25, history_size=30,
                            tolerance_grad=1e-12, tolerance_change=1e-16, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = residual(u, t_col).square().mean()
        loss.backward()
        return loss

    previous = float("inf")
    for outer in range(1, 41):
        loss = opt.step(closure).item()
        if outer % 4 == 1:
            print(f"outer {outer:3d}  residual loss {loss:.3e}")
        if loss < 1e-9 or abs(previous - loss) < 1e-3 * loss:
            print(f"stopped after {outer} outer iterations, residual loss {loss:.3e}")
            break
        previous = loss

    with torch.no_grad():
        error = (u(t_test) - exact(t_test)).norm() / exact(t_test).norm()
    held_res = residual(u, t_test).detach().square().mean().sqrt().item()
    print(f"held-out times: relative L2 error {error.item():.2e}, rms residual {held_res:.2e}")


if __name__ == "__main__":
    main()

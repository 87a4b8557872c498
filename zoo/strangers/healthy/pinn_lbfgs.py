"""Damped oscillator u'' + 0.4 u' + 4 u = 0, u(0)=1, u'(0)=0 on [0, 4], by collocation and L-BFGS."""
import numpy as np
import torch

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
C, K, END = 0.4, 4.0, 4.0

net = torch.nn.Sequential(
    torch.nn.Linear(1, 24), torch.nn.Tanh(), torch.nn.Linear(24, 24), torch.nn.Tanh(), torch.nn.Linear(24, 1)
)


def u(t):
    return net(2 * t / END - 1)


def derivative(out, t):
    return torch.autograd.grad(out, t, torch.ones_like(out), create_graph=True)[0]


t_col = torch.linspace(0, END, 80).reshape(-1, 1).requires_grad_()
t_zero = torch.zeros(1, 1, requires_grad=True)


def objective():
    x = u(t_col)
    dx = derivative(x, t_col)
    ddx = derivative(dx, t_col)
    residual = (ddx + C * dx + K * x).pow(2).mean()
    x0 = u(t_zero)
    start = (x0 - 1).pow(2).sum() + derivative(x0, t_zero).pow(2).sum()
    return residual, 10 * start


opt = torch.optim.LBFGS(net.parameters(), lr=1.0, max_iter=50, history_size=30, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    residual, start = objective()
    loss = residual + start
    loss.backward()
    return loss


for outer in range(12):
    opt.step(closure)
    residual, start = objective()
    print(f"round {outer:2d} residual {residual.item():.2e} initial conditions {start.item():.2e}")

t = np.random.default_rng(5).uniform(0, END, 300)
w = np.sqrt(K - C**2 / 4)
exact = np.exp(-C / 2 * t) * (np.cos(w * t) + C / (2 * w) * np.sin(w * t))
with torch.no_grad():
    approx = u(torch.from_numpy(t).reshape(-1, 1)).ravel().numpy()
print(f"relative L2 error at 300 unseen times {np.linalg.norm(approx - exact) / np.linalg.norm(exact):.2e}")

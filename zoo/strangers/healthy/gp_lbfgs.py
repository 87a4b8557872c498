# Gaussian-process regression of atmospheric CO2-like data; three hyper-parameter groups fitted with full-batch L-BFGS.
import math

import torch

torch.manual_seed(1)
torch.set_default_dtype(torch.float64)

# data: trend + season + noise, a random third is held out (interpolation)
t = torch.linspace(0, 10, 240)
y = 0.6 * t + 1.5 * torch.sin(2 * math.pi * t) * (1 + 0.05 * t) + 0.8 * torch.sin(0.9 * t) + 0.25 * torch.randn(len(t))
perm = torch.randperm(len(t))
fit, held = perm[:160].sort().values, perm[160:].sort().values
mu, sd = y[fit].mean(), y[fit].std()
yn = (y - mu) / sd

log_theta = torch.nn.ParameterDict({
    "amp_long": torch.nn.Parameter(torch.zeros(())),
    "len_long": torch.nn.Parameter(torch.tensor(1.0)),
    "amp_season": torch.nn.Parameter(torch.zeros(())),
    "len_season": torch.nn.Parameter(torch.zeros(())),
    "decay": torch.nn.Parameter(torch.tensor(2.0)),
    "noise": torch.nn.Parameter(torch.tensor(-1.0)),
})


def kernel(a, b):
    th = {k: v.exp() for k, v in log_theta.items()}
    d = a[:, None] - b[None, :]
    long = th["amp_long"] ** 2 * torch.exp(-0.5 * (d / th["len_long"]) ** 2)
    season = th["amp_season"] ** 2 * torch.exp(-2 * torch.sin(math.pi * d) ** 2 / th["len_season"] ** 2 - 0.5 * (d / th["decay"]) ** 2)
    return long + season


def factor():
    k = kernel(t[fit], t[fit]) + (log_theta["noise"].exp() ** 2 + 1e-6) * torch.eye(len(fit))
    return torch.linalg.cholesky(k)


def nll():
    chol = factor()
    alpha = torch.cholesky_solve(yn[fit, None], chol)
    return (0.5 * yn[fit] @ alpha[:, 0] + chol.diagonal().log().sum() + 0.5 * len(fit) * math.log(2 * math.pi)) / len(fit)


opt = torch.optim.LBFGS(log_theta.parameters(), lr=1.0, max_iter=10, history_size=20, line_search_fn="strong_wolfe")


def closure():
    opt.zero_grad()
    value = nll()
    value.backward()
    return value


for outer in range(12):
    value = opt.step(closure)
    print(f"outer {outer:2d}  nll per point {value.item():+.5f}  noise sd {(log_theta['noise'].exp() * sd).item():.3f}")

with torch.no_grad():
    chol = factor()
    ks = kernel(t[held], t[fit])
    mean = (ks @ torch.cholesky_solve(yn[fit, None], chol))[:, 0]
    v = torch.linalg.solve_triangular(chol, ks.T, upper=False)
    var = kernel(t[held], t[held]).diagonal() - v.pow(2).sum(0) + log_theta["noise"].exp() ** 2
    rmse = ((mean - yn[held]) * sd).pow(2).mean().sqrt()
    inside = ((mean - yn[held]).abs() < 1.96 * var.sqrt()).double().mean()
print(f"held-out rmse {rmse:.3f} (noise 0.25, spread {y[held].std():.3f}); 95% interval covers {inside:.1%}")

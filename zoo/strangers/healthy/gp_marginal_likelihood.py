"""Gaussian-process regression on a CO2-like series; kernel hyper-parameters by L-BFGS on the marginal likelihood."""
import math

import numpy as np
import torch

torch.set_default_dtype(torch.float64)


def make_series(seed=4, n=220):
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, 12, n))
    clean = 0.25 * t + 0.9 * np.sin(2 * np.pi * t) * (1 + 0.03 * t) + 0.5 * np.sin(0.9 * t)
    return torch.tensor(t), torch.tensor(clean + rng.normal(0, 0.25, n))


class GP(torch.nn.Module):
    """Trend (RBF) + quasi-periodic kernel + white noise; every positive quantity is stored as its logarithm."""

    def __init__(self):
        super().__init__()
        self.raw = torch.nn.ParameterDict({
            "trend_amp": torch.nn.Parameter(torch.tensor(0.0)),
            "trend_len": torch.nn.Parameter(torch.tensor(math.log(3.0))),
            "per_amp": torch.nn.Parameter(torch.tensor(0.0)),
            "per_len": torch.nn.Parameter(torch.tensor(0.0)),
            "per_decay": torch.nn.Parameter(torch.tensor(math.log(10.0))),
            "period": torch.nn.Parameter(torch.tensor(math.log(1.05))),
            "noise": torch.nn.Parameter(torch.tensor(math.log(0.5))),
        })

    def get(self, name):
        return self.raw[name].exp()

    def kernel(self, a, b):
        d = a[:, None] - b[None, :]
        trend = self.get("trend_amp") ** 2 * torch.exp(-0.5 * (d / self.get("trend_len")) ** 2)
        wave = torch.sin(math.pi * d / self.get("period")) / self.get("per_len")
        periodic = self.get("per_amp") ** 2 * torch.exp(-2 * wave ** 2 - 0.5 * (d / self.get("per_decay")) ** 2)
        return trend + periodic

    def chol(self, t):
        k = self.kernel(t, t)
        return torch.linalg.cholesky(k + (self.get("noise") ** 2 + 1e-6) * torch.eye(len(t)))

    def nll(self, t, y):
        l = self.chol(t)
        alpha = torch.cholesky_solve(y[:, None], l)[:, 0]
        return 0.5 * y @ alpha + l.diagonal().log().sum() + 0.5 * len(t) * math.log(2 * math.pi)

    @torch.no_grad()
    def predict(self, t, y, t_new):
        l = self.chol(t)
        k = self.kernel(t, t_new)
        mean = k.T @ torch.cholesky_solve(y[:, None], l)[:, 0]
        v = torch.linalg.solve_triangular(l, k, upper=False)
        var = self.kernel(t_new, t_new).diagonal() - (v ** 2).sum(0) + self.get("noise") ** 2
        return mean, var


def main():
    torch.manual_seed(0)
    t, y = make_series()
    train = t < 9.5
    t_tr, y_tr, t_te, y_te = t[train], y[train], t[~train], y[~train]
    mu, sd = y_tr.mean(), y_tr.std()
    z_tr, z_te = (y_tr - mu) / sd, (y_te - mu) / sd

    gp = GP()
    opt = torch.optim.LBFGS(gp.parameters(), lr=1.0, max_iter=10, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = gp.nll(t_tr, z_tr)
        loss.backward()
        return loss

    last = math.inf
    for outer in range(60):
        loss = opt.step(closure).item()
        if outer % 3 == 0:
            print(f"outer {outer:2d}  negative log marginal likelihood {loss:9.4f}")
        if abs(last - loss) < 1e-7:
            print(f"converged after {outer + 1} outer iterations")
            break
        last = loss

    print("hyper-parameters:", {k: round(gp.get(k).item(), 3) for k in gp.raw})
    mean, var = gp.predict(t_tr, z_tr, t_te)
    rmse = (mean - z_te).pow(2).mean().sqrt()
    nlpd = (0.5 * torch.log(2 * math.pi * var) + 0.5 * (z_te - mean) ** 2 / var).mean()
    inside = ((z_te - mean).abs() < 1.96 * var.sqrt()).double().mean()
    print(f"extrapolation: n={len(t_te)} rmse {rmse:.3f} (last-value baseline {(z_te - z_tr[-1]).pow(2).mean().sqrt():.3f})")
    print(f"extrapolation: nlpd {nlpd:.3f}, 95% interval covers {inside:.2f}")


if __name__ == "__main__":
    main()

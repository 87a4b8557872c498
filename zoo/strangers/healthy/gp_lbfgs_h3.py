"""Gaussian-process regression with ARD, fitted by L-BFGS on the marginal likelihood.

No module, no batches, no epochs: a handful of log-parameters, a closure, a line search. The
objective uses all training points at every evaluation, as the exact marginal likelihood must.
"""
import math

import torch

torch.manual_seed(8)
torch.set_default_dtype(torch.float64)          # Cholesky likes double


def truth(x):
    return torch.sin(2.5 * x[:, 0]) + 0.6 * x[:, 1] ** 2 + 0.8 * torch.cos(1.5 * x[:, 2]) * x[:, 1]


NOISE = 0.15
n_train, n_val, n_test, d = 450, 150, 400, 5           # features 3 and 4 mean nothing
x = torch.rand(n_train + n_val + n_test, d) * 4 - 2
y = truth(x) + NOISE * torch.randn(len(x))
x_tr, x_va, x_te = x.split([n_train, n_val, n_test])
y_tr, y_va, y_te = y.split([n_train, n_val, n_test])
shift, scale = y_tr.mean(), y_tr.std()
t_tr = (y_tr - shift) / scale


def kernel(a, b, p):
    a, b = a / p["log_ell"].exp(), b / p["log_ell"].exp()
    # the expanded square: cdist's root has no derivative at distance zero, i.e. on the diagonal
    sq = a.square().sum(1)[:, None] + b.square().sum(1)[None] - 2 * a @ b.T
    return p["log_amp"].mul(2).exp() * torch.exp(-0.5 * sq.clamp_min(0))


def factor(p):
    k = kernel(x_tr, x_tr, p)
    return torch.linalg.cholesky(k + (p["log_noise"].mul(2).exp() + 1e-6) * torch.eye(n_train))


def nlml(p):
    """Negative log marginal likelihood per training point, with a weak log-normal prior on the scales."""
    L = factor(p)
    alpha = torch.cholesky_solve(t_tr[:, None], L)
    fit = 0.5 * (t_tr @ alpha.squeeze(1))
    size = L.diagonal().log().sum()
    prior = 0.5 * ((p["log_ell"] - 0.5) / 1.0).square().sum()
    return (fit + size + 0.5 * n_train * math.log(2 * math.pi) + prior) / n_train


@torch.no_grad()
def predict(p, xs):
    L = factor(p)
    ks = kernel(x_tr, xs, p)
    mean = ks.T @ torch.cholesky_solve(t_tr[:, None], L)
    v = torch.linalg.solve_triangular(L, ks, upper=False)
    var = p["log_amp"].mul(2).exp() - v.square().sum(0) + p["log_noise"].mul(2).exp()
    return mean.squeeze(1) * scale + shift, var.clamp_min(1e-9).sqrt() * scale


def report(tag, p, xs, ys):
    m, s = predict(p, xs)
    rmse = (m - ys).square().mean().sqrt()
    inside = ((ys - m).abs() < 1.96 * s).double().mean()
    nlpd = -torch.distributions.Normal(m, s).log_prob(ys).mean()
    print(f"{tag}: rmse {rmse:.4f} (noise {NOISE})  95% interval covers {inside:.1%}  nlpd {nlpd:.4f}  R2 {1 - rmse**2 / ys.var():.4f}")


def fit(start):
    p = {
        "log_ell": torch.full((d,), math.log(start)).requires_grad_(),
        "log_amp": torch.zeros(()).requires_grad_(),
        "log_noise": torch.tensor(math.log(0.3)).requires_grad_(),
    }
    opt = torch.optim.LBFGS(p.values(), lr=1.0, max_iter=5, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        loss = nlml(p)
        loss.backward()
        return loss

    before = float("inf")
    for outer in range(20):
        now = opt.step(closure).item()             # the loss at the start of these five iterations
        val = (predict(p, x_va)[0] - y_va).square().mean().sqrt()
        print(f"  start {start:3.1f} | round {outer:2d}  nlml {now:.5f}  val rmse {val:.4f}")
        if abs(before - now) < 1e-6:
            break
        before = now
    with torch.no_grad():
        return nlml(p).item(), {k: v.detach() for k, v in p.items()}


# three starting length-scales; the marginal likelihood itself chooses
candidates = [fit(s) for s in (1.0, 2.0, 4.0)]
best, p = min(candidates, key=lambda c: c[0])
print("length-scales", [round(v, 2) for v in p["log_ell"].exp().tolist()], f"noise {(p['log_noise'].exp() * scale):.3f}")
report("validation", p, x_va, y_va)
report("test      ", p, x_te, y_te)

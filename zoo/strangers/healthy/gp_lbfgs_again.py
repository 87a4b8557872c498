# Exact GP regression with ARD Matern-5/2, hyperparameters by LBFGS on the log marginal likelihood
import math, torch
from sklearn.datasets import make_friedman1
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)


def matern52(A, B, ls, var):
    d2 = ((A / ls).unsqueeze(1) - (B / ls).unsqueeze(0)).square().sum(-1)
    r = torch.sqrt(5 * d2 + 1e-12)
    return var * (1 + r + r * r / 3) * torch.exp(-r)


class ExactGP(torch.nn.Module):
    def __init__(self, X, y):
        super().__init__()
        self.X, self.y = X, y
        self.log_ls = torch.nn.Parameter(torch.full((X.shape[1],), math.log(2.0)))
        self.log_var = torch.nn.Parameter(torch.zeros(()))
        self.log_noise = torch.nn.Parameter(torch.tensor(math.log(0.1)))

    def chol(self):
        K = matern52(self.X, self.X, self.log_ls.exp(), self.log_var.exp())
        return torch.linalg.cholesky(K + (self.log_noise.exp() + 1e-6) * torch.eye(len(self.X)))

    def neg_log_posterior(self):
        L = self.chol()
        a = torch.cholesky_solve(self.y[:, None], L)
        nlml = 0.5 * (self.y @ a[:, 0]) + L.diagonal().log().sum() + 0.5 * len(self.y) * math.log(2 * math.pi)
        prior = 0.5 * ((self.log_ls - math.log(2.0)) / 1.5).square().sum()
        return (nlml + prior) / len(self.y)

    @torch.no_grad()
    def predict(self, Xs):
        L = self.chol()
        Ks = matern52(self.X, Xs, self.log_ls.exp(), self.log_var.exp())
        mean = Ks.T @ torch.cholesky_solve(self.y[:, None], L)[:, 0]
        v = torch.linalg.solve_triangular(L, Ks, upper=False)
        return mean, self.log_var.exp() - v.square().sum(0) + self.log_noise.exp()


def fit(gp, outer=12):
    opt = torch.optim.LBFGS(gp.parameters(), lr=1.0, max_iter=5, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        opt.zero_grad()
        l = gp.neg_log_posterior()
        l.backward()
        return l
    trace = []
    for _ in range(outer):
        trace.append(opt.step(closure).item())
        if len(trace) > 2 and abs(trace[-2] - trace[-1]) < 1e-6:
            break
    return trace


X, y = make_friedman1(n_samples=600, n_features=8, noise=1.0, random_state=0)
scores = []
for k, (a, b) in enumerate(KFold(4, shuffle=True, random_state=0).split(X)):
    Xa, Xb = torch.tensor(X[a]), torch.tensor(X[b])
    ya, yb = torch.tensor(y[a]), torch.tensor(y[b])
    mx, sx, my, sy = Xa.mean(0), Xa.std(0), ya.mean(), ya.std()
    gp = ExactGP((Xa - mx) / sx, (ya - my) / sy)
    trace = fit(gp)
    mean, var = gp.predict((Xb - mx) / sx)
    mean, sd = mean * sy + my, var.sqrt() * sy
    rmse = (mean - yb).square().mean().sqrt().item()
    cover = ((mean - yb).abs() < 1.96 * sd).double().mean().item()
    nlpd = -torch.distributions.Normal(mean, sd).log_prob(yb).mean().item()
    lin = Ridge(1.0).fit(X[a], y[a]).predict(X[b])
    lin_rmse = float(((lin - y[b]) ** 2).mean() ** 0.5)
    scores.append((rmse, lin_rmse, cover, nlpd))
    print(f"fold {k}: objective", " ".join(f"{t:.3f}" for t in trace))
    print(f"   RMSE {rmse:.3f} (ridge {lin_rmse:.3f})  95% coverage {cover:.3f}  NLPD {nlpd:.3f}")
    print("   lengthscales", [round(v, 1) for v in gp.log_ls.exp().tolist()], f"noise sd {math.sqrt(gp.log_noise.exp().item()) * sy:.2f}")
avg = [sum(c) / len(c) for c in zip(*scores)]
print("4-fold mean: RMSE %.3f, ridge %.3f, coverage %.3f, NLPD %.3f" % tuple(avg))

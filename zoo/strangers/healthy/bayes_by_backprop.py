"""
Tutorial: weight uncertainty in a small regression network (Blundell et al. 2015)

Step 1  a linear layer whose weights are distributions
Step 2  the ELBO as a loss per example
Step 3  prediction by averaging over weight samples. The sampling is the model, it does not stop in eval mode.
        (Mean-field posteriors err on the wide side; the coverage table at the end shows by how much.)
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.manual_seed(0)


# ---- Step 1 ---------------------------------------------------------------
class BayesLinear(nn.Module):
    """Local reparametrisation: the pre-activations are sampled, each example with its own noise."""

    def __init__(self, d_in, d_out, prior_std=1.0, init_std=0.03):
        super().__init__()
        self.prior_std = prior_std / math.sqrt(d_in)
        rho = math.log(math.expm1(init_std))
        self.w_mu = nn.Parameter(torch.randn(d_out, d_in) / math.sqrt(d_in))
        self.w_rho = nn.Parameter(torch.full((d_out, d_in), rho))
        self.b = nn.Parameter(torch.zeros(d_out))

    def forward(self, x):
        var = F.linear(x.square(), F.softplus(self.w_rho).square())
        return F.linear(x, self.w_mu, self.b) + (var + 1e-10).sqrt() * torch.randn_like(var)

    def kl(self):
        s = F.softplus(self.w_rho)
        return (math.log(self.prior_std) - s.log() + (s.square() + self.w_mu.square()) / (2 * self.prior_std ** 2) - 0.5).sum()


class BayesNet(nn.Module):
    def __init__(self, d, h=40):
        super().__init__()
        self.l1, self.l2, self.l3 = BayesLinear(d, h), BayesLinear(h, h), BayesLinear(h, 1)
        self.log_noise = nn.Parameter(torch.tensor(-0.5))

    def forward(self, x):
        h = torch.tanh(self.l1(x))
        h = torch.tanh(self.l2(h))
        return self.l3(h).squeeze(-1)

    def kl(self):
        return sum(m.kl() for m in self.modules() if isinstance(m, BayesLinear))


# ---- data: Friedman #1, ten features of which five matter -------------------
X, y = make_friedman1(n_samples=12000, n_features=10, noise=1.0, random_state=4)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=1000, random_state=4)
X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=1000, random_state=4)
sx = StandardScaler().fit(X_tr)
sy = StandardScaler().fit(y_tr[:, None])
as_t = lambda a: torch.tensor(a, dtype=torch.float32)
Xt, Xv, Xs = (as_t(sx.transform(a)) for a in (X_tr, X_va, X_te))
yt, yv, ys = (as_t(sy.transform(a[:, None])[:, 0]) for a in (y_tr, y_va, y_te))
N = len(Xt)


# ---- Step 2 ---------------------------------------------------------------
def nll(net, pred, target):
    return 0.5 * ((pred - target) / net.log_noise.exp()).square().mean() + net.log_noise + 0.5 * math.log(2 * math.pi)


@torch.no_grad()
def predict(net, x, samples=40):
    net.eval()
    draws = torch.stack([net(x) for _ in range(samples)])
    return draws.mean(0), (draws.var(0) + (2 * net.log_noise).exp()).sqrt()


net = BayesNet(Xt.shape[1])
opt = torch.optim.Adam(net.parameters(), lr=4e-3)
EPOCHS = 80
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS, eta_min=1e-4)
for epoch in range(1, EPOCHS + 1):
    net.train()
    fit_sum = kl_sum = 0.0
    for idx in torch.randperm(N).split(250):
        fit, kl = nll(net, net(Xt[idx]), yt[idx]), net.kl() / N   # KL is spread over all N examples
        loss = fit + kl
        opt.zero_grad()
        loss.backward()
        opt.step()
        fit_sum += fit.item() * len(idx)
        kl_sum += kl.item() * len(idx)
    sched.step()
    if epoch % 8 == 0:
        m, s = predict(net, Xv)
        v = -torch.distributions.Normal(m, s).log_prob(yv).mean()
        print(f"epoch {epoch:3d}  -elbo {(fit_sum + kl_sum) / N:.4f} (fit {fit_sum / N:.4f}, kl {kl_sum / N:.4f})"
              f"  val nll {v:.4f}  val rmse {(m - yv).square().mean().sqrt():.4f}")

# ---- Step 3 ---------------------------------------------------------------
m, s = predict(net, Xs, samples=200)
rmse = (m - ys).square().mean().sqrt().item()
z = (m - ys).abs() / s
print(f"test rmse {rmse:.4f} standardised, {rmse * sy.scale_[0]:.3f} in units of y (noise alone 1.0)")
for level in (0.5, 0.9):
    q = torch.distributions.Normal(0., 1.).icdf(torch.tensor(0.5 + level / 2))
    print(f"central {level:.0%} interval covers {(z < q).float().mean():.1%}")

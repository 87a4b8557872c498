# Bayesian logistic regression by stochastic variational inference, from first principles.
#
#   w ~ N(0, tau^2 I),   tau fixed;   y_i ~ Bernoulli(sigmoid(x_i' w))
#   q(w) = N(m, L L'),   L lower triangular with positive diagonal
#
# The objective is the negative ELBO of the whole training set: a *sum* over observations,
# estimated from a minibatch by scaling with N / B, plus the closed-form KL term (not averaged).

from functools import partial

import numpy as np
import torch
from scipy.special import expit
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from torch.distributions import MultivariateNormal, kl_divergence
from torch.nn.functional import binary_cross_entropy_with_logits, softplus

SEED, TAU, B, STEPS, DRAWS = 9, 1.0, 71, 1500, 4


def load(seed):
    raw = load_breast_cancer()
    splitter = StratifiedShuffleSplit(n_splits=1, test_size=0.25, random_state=seed)
    tr, te = next(splitter.split(raw.data, raw.target))
    logx = np.log1p(raw.data[:, :10])
    centre, scale = logx[tr].mean(0), logx[tr].std(0)
    design = np.hstack([np.ones((len(logx), 1)), (logx - centre) / scale])
    as_t = partial(torch.tensor, dtype=torch.float64)
    return as_t(design[tr]), as_t(raw.target[tr]), as_t(design[te]), as_t(raw.target[te])


def unpack(m, packed, d):
    """Variational distribution from the unconstrained parameters."""
    L = torch.zeros(d, d, dtype=m.dtype)
    rows, cols = torch.tril_indices(d, d)
    L = L.index_put((rows, cols), packed)
    diag = softplus(L.diagonal()) + 1e-6
    return MultivariateNormal(m, scale_tril=L.tril(-1) + torch.diag(diag))


def neg_elbo(q, prior, X, y, n_total):
    w = q.rsample((DRAWS,))
    logits = w @ X.T
    nll = binary_cross_entropy_with_logits(logits, y.expand_as(logits), reduction="none").sum(1).mean()
    return n_total / len(y) * nll + kl_divergence(q, prior)


def minibatches(n, size, steps, gen):
    """Random reshuffling without end, cut after the given number of steps."""
    done = 0
    while True:
        for idx in torch.randperm(n, generator=gen).split(size):
            if done == steps:
                return
            done += 1
            yield idx


torch.manual_seed(SEED)
X, y, X_te, y_te = load(SEED)
n, d = X.shape
prior = MultivariateNormal(torch.zeros(d, dtype=X.dtype), scale_tril=TAU * torch.eye(d, dtype=X.dtype))

m = torch.zeros(d, dtype=X.dtype, requires_grad=True)
packed = torch.zeros(d * (d + 1) // 2, dtype=X.dtype)
rows, cols = torch.tril_indices(d, d)
packed[rows == cols] = -1.0
packed.requires_grad_()

opt = torch.optim.Adam([m, packed], lr=0.03)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 1.0 / (1.0 + s / 300.0))

trace = []
for step, idx in enumerate(minibatches(n, B, STEPS, torch.Generator().manual_seed(SEED)), start=1):
    opt.zero_grad()
    objective = neg_elbo(unpack(m, packed, d), prior, X[idx], y[idx], n)
    objective.backward()
    opt.step()
    sched.step()
    trace.append(objective.item())
    if step % 250 == 0:
        print(f"step {step:5d}   -ELBO (mean of last 100) {np.mean(trace[-100:]):8.2f}")

with torch.no_grad():
    q = unpack(m, packed, d)
    draws = q.sample((2000,))
    prob = torch.sigmoid(draws @ X_te.T).mean(0).numpy()
    plug_in = expit((X_te @ q.mean).numpy())

truth = y_te.numpy()
print(f"posterior sd of the coefficients: {q.stddev.min():.2f} to {q.stddev.max():.2f} (prior {TAU})")
for name, pr in (("posterior mean predictive", prob), ("plug-in", plug_in)):
    print(f"{name:26s} log loss {log_loss(truth, pr):.4f}  AUC {roc_auc_score(truth, pr):.4f}"
          f"  accuracy {((pr > 0.5) == truth).mean():.3f}")

# %% [markdown]
# # Eight seeds for the price of one
# The networks of eight seeds are stacked along a new first axis and trained together with
# `torch.func`. Each has its own initial weights and its own order of the data. The optimiser is ours.

# %%
import copy
import math

import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

SEEDS = list(range(8))

# %% data: 5 features matter, 5 do not; noise has a standard deviation of 1
X, y = make_friedman1(n_samples=6000, n_features=10, noise=1.0, random_state=7)
X_tr, X_rest, y_tr, y_rest = train_test_split(X, y, test_size=2000, random_state=7)
X_va, X_te, y_va, y_te = train_test_split(X_rest, y_rest, test_size=1000, random_state=8)

mx, sx, my, sy = X_tr.mean(0), X_tr.std(0), y_tr.mean(), y_tr.std()
prep = lambda X, y: (torch.tensor((X - mx) / sx, dtype=torch.float32), torch.tensor((y - my) / sy, dtype=torch.float32))
(xtr, ytr), (xva, yva), (xte, yte) = prep(X_tr, y_tr), prep(X_va, y_va), prep(X_te, y_te)
print("train", xtr.shape, "val", xva.shape, "test", xte.shape, f"| noise floor (scaled mse) {1 / sy**2:.4f}")


# %% eight networks, one pytree
def make(seed):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(10, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, 1))


nets = [make(s) for s in SEEDS]
params, buffers = stack_module_state(nets)
params = {k: v.detach() for k, v in params.items()}       # plain tensors: torch.func differentiates, not autograd
skeleton = copy.deepcopy(nets[0]).to("meta")


def predict(p, b, x):
    return functional_call(skeleton, (p, b), (x,)).squeeze(-1)


def loss_fn(p, b, x, t):
    return ((predict(p, b, x) - t) ** 2).mean()


per_seed = vmap(grad_and_value(loss_fn), in_dims=(0, 0, 0, 0))      # every seed has a batch of its own
per_seed_eval = vmap(loss_fn, in_dims=(0, 0, None, None))           # all seeds, the same held-out data


# %% AdamW, by hand
def adamw_init(p):
    return {"m": {k: torch.zeros_like(v) for k, v in p.items()}, "v": {k: torch.zeros_like(v) for k, v in p.items()}, "t": 0}


def adamw(p, g, s, lr, b1=0.9, b2=0.999, eps=1e-8, wd=1e-3):
    t = s["t"] + 1
    m = {k: b1 * s["m"][k] + (1 - b1) * g[k] for k in p}
    v = {k: b2 * s["v"][k] + (1 - b2) * g[k].square() for k in p}
    new = {k: p[k] * (1 - lr * wd) - lr * (m[k] / (1 - b1**t)) / ((v[k] / (1 - b2**t)).sqrt() + eps) for k in p}
    return new, {"m": m, "v": v, "t": t}


# %% training
EPOCHS, B, PEAK = 50, 100, 4e-3
gens = [torch.Generator().manual_seed(1000 + s) for s in SEEDS]
state, n_batches = adamw_init(params), len(xtr) // B
total, warm = EPOCHS * n_batches, 80


def lr_at(step):
    return PEAK * (step + 1) / warm if step < warm else PEAK * 0.5 * (1 + math.cos(math.pi * (step - warm) / (total - warm)))


step = 0
for epoch in range(1, EPOCHS + 1):
    order = torch.stack([torch.randperm(len(xtr), generator=g) for g in gens])      # (seed, example)
    tot = torch.zeros(len(SEEDS))
    for i in range(n_batches):
        idx = order[:, i * B:(i + 1) * B]
        g, l = per_seed(params, buffers, xtr[idx], ytr[idx])
        params, state = adamw(params, g, state, lr_at(step))
        tot += l
        step += 1
    if epoch % 5 == 0 or epoch == 1:
        v = per_seed_eval(params, buffers, xva, yva)
        print(f"epoch {epoch:2d}  train {(tot / n_batches).mean():.4f}  val {v.mean():.4f}  (seeds {v.min():.4f} .. {v.max():.4f})")

# %% the last look: bootstrap over test examples, spread over seeds
pred = vmap(predict, in_dims=(0, 0, None))(params, buffers, xte)        # (seed, example)
err = (pred - yte).square().numpy()
rng = np.random.default_rng(0)
r2 = lambda e, t: 1 - e.mean() / t.var()
single = [r2(e, yte.numpy()) for e in err]
ens = (pred.mean(0) - yte).square().numpy()
boot = []
for _ in range(1000):
    k = rng.integers(0, len(ens), len(ens))
    boot.append(r2(ens[k], yte.numpy()[k]))
print(f"test R2 of single seeds {np.mean(single):.4f} +- {np.std(single, ddof=1):.4f}")
print(f"test R2 of their mean   {r2(ens, yte.numpy()):.4f}  95% bootstrap [{np.quantile(boot, .025):.4f}, {np.quantile(boot, .975):.4f}]")
print(f"best possible           {1 - 1 / y_te.var():.4f}")

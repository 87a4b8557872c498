"""Regression without nn.Module: parameters live in a dict, gradients come from
torch.func, the update rule is a pure function (Adam written as a fold)."""
import argparse
import math
from functools import partial, reduce
from typing import NamedTuple

import torch
from sklearn.datasets import make_friedman1
from torch.func import grad_and_value, vmap

Tree = dict


class Adam(NamedTuple):
    count: int
    mu: Tree
    nu: Tree


def tree_map(f, *trees):
    return {k: f(*(t[k] for t in trees)) for k in trees[0]}


def init_params(key, sizes):
    params = {}
    for i, (a, b) in enumerate(zip(sizes, sizes[1:])):
        params[f"w{i}"] = torch.randn(a, b, generator=key) * math.sqrt(1.0 / a)
        params[f"b{i}"] = torch.zeros(b)
    return params


def net(params, x):
    depth = len(params) // 2
    layer = lambda h, i: torch.tanh(h @ params[f"w{i}"] + params[f"b{i}"])
    h = reduce(layer, range(depth - 1), x)
    return (h @ params[f"w{depth - 1}"] + params[f"b{depth - 1}"]).squeeze(-1)


def example_loss(params, x, y):
    return (net(params, x) - y) ** 2


def batch_loss(params, xs, ys, decay):
    data = vmap(example_loss, in_dims=(None, 0, 0))(params, xs, ys).mean()
    ridge = sum((v ** 2).sum() for k, v in params.items() if k.startswith("w"))
    return data + decay * ridge


def adam_init(params):
    zeros = tree_map(torch.zeros_like, params)
    return Adam(0, zeros, zeros)


def adam_update(params, grads, state, lr, b1=0.9, b2=0.999, eps=1e-8):
    t = state.count + 1
    mu = tree_map(lambda m, g: b1 * m + (1 - b1) * g, state.mu, grads)
    nu = tree_map(lambda v, g: b2 * v + (1 - b2) * g * g, state.nu, grads)
    step = lambda p, m, v: p - lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)
    return tree_map(step, params, mu, nu), Adam(t, mu, nu)


def cosine(step, total, peak):
    return 0.5 * peak * (1 + math.cos(math.pi * step / total))


def batches(key, n, size, epochs):
    for _ in range(epochs):
        yield from torch.randperm(n, generator=key).split(size)


def r2(pred, y):
    return 1 - ((pred - y) ** 2).sum() / ((y - y.mean()) ** 2).sum()


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=25)
    ap.add_argument("--batch", type=int, default=50)
    ap.add_argument("--lr", type=float, default=5e-3)
    ap.add_argument("--decay", type=float, default=1e-4)
    ap.add_argument("--seed", type=int, default=8)
    a = ap.parse_args(argv)
    key = torch.Generator().manual_seed(a.seed)

    x, y = make_friedman1(n_samples=2500, n_features=10, noise=0.5, random_state=a.seed)
    x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    order = torch.randperm(len(x), generator=key)
    fit_rows, held_rows = order[:2000], order[2000:]
    x_mean, x_std = x[fit_rows].mean(0), x[fit_rows].std(0)
    y_mean, y_std = y[fit_rows].mean(), y[fit_rows].std()
    norm_x = lambda v: (v - x_mean) / x_std
    xs, ys = norm_x(x[fit_rows]), (y[fit_rows] - y_mean) / y_std

    params = init_params(key, [10, 48, 48, 1])
    state = adam_init(params)
    value_and_grad = grad_and_value(partial(batch_loss, decay=a.decay))
    total = a.epochs * math.ceil(len(xs) / a.batch)
    for i, rows in enumerate(batches(key, len(xs), a.batch, a.epochs)):
        grads, loss = value_and_grad(params, xs[rows], ys[rows])
        params, state = adam_update(params, grads, state, cosine(i, total, a.lr))
        if (i + 1) % 200 == 0:
            print(f"step {i + 1:5d}/{total}  loss {loss.item():.4f}")

    pred = net(params, norm_x(x[held_rows])) * y_std + y_mean
    print(f"held-out R2 {r2(pred, y[held_rows]).item():.4f}  "
          f"RMSE {(pred - y[held_rows]).pow(2).mean().sqrt().item():.3f} (noise 0.5)")


if __name__ == "__main__":
    main()

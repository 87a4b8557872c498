"""Battery state-of-health from cycling statistics, written with torch.func: parameters are a plain dict, updates are pure."""
import numpy as np
import torch
from torch import nn
from torch.func import functional_call, grad_and_value

torch.manual_seed(0)
rng = np.random.default_rng(0)


def make_cells(n):
    cycles = rng.uniform(0, 1500, n)
    temp = rng.normal(27, 7, n)
    c_rate = rng.uniform(0.3, 3.0, n)
    depth = rng.uniform(0.2, 1.0, n)
    rest = rng.exponential(4.0, n)
    arrhenius = np.exp(0.045 * (temp - 25))
    fade = 0.006 * np.sqrt(cycles) * arrhenius * (0.6 + 0.25 * c_rate) * depth ** 0.7 + 0.0006 * rest
    soh = 1.0 - fade + rng.normal(0, 0.012, n)
    feats = np.stack([cycles, temp, c_rate, depth, rest], 1)
    return feats.astype(np.float32), soh.astype(np.float32)


feats, soh = make_cells(5000)
n_train = 4000
mean, std = feats[:n_train].mean(0), feats[:n_train].std(0)
x = torch.from_numpy((feats - mean) / std)
y = torch.from_numpy(soh)
y_mean, y_std = y[:n_train].mean(), y[:n_train].std()
x_train, y_train = x[:n_train], (y[:n_train] - y_mean) / y_std
x_test, y_test = x[n_train:], y[n_train:]

net = nn.Sequential(nn.Linear(5, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
params = {k: v.detach().clone() for k, v in net.named_parameters()}


def predict(params, x):
    return functional_call(net, params, (x,))


def objective(params, x, y):
    return torch.mean((predict(params, x) - y) ** 2)


step_fn = grad_and_value(objective)


def adam_init(params):
    zeros = {k: torch.zeros_like(v) for k, v in params.items()}
    return {"m": zeros, "v": {k: z.clone() for k, z in zeros.items()}, "t": 0}


def adam_update(params, grads, state, lr, b1=0.9, b2=0.99, eps=1e-8):
    t = state["t"] + 1
    m = {k: b1 * state["m"][k] + (1 - b1) * grads[k] for k in params}
    v = {k: b2 * state["v"][k] + (1 - b2) * grads[k] ** 2 for k in params}
    new = {k: params[k] - lr * (m[k] / (1 - b1 ** t)) / ((v[k] / (1 - b2 ** t)).sqrt() + eps) for k in params}
    return new, {"m": m, "v": v, "t": t}


state = adam_init(params)
epochs, batch = 25, 100
total_steps = epochs * n_train // batch
for epoch in range(epochs):
    losses = []
    for idx in torch.randperm(n_train).split(batch):
        lr = 4e-3 * 0.5 * (1 + np.cos(np.pi * state["t"] / total_steps))
        grads, loss = step_fn(params, x_train[idx], y_train[idx])
        params, state = adam_update(params, grads, state, lr)
        losses.append(loss.item())
    if epoch % 4 == 0 or epoch == epochs - 1:
        out = predict(params, x_test).reshape(-1) * y_std + y_mean
        mae = (out - y_test).abs().mean().item()
        corr = torch.corrcoef(torch.stack([out, y_test]))[0, 1].item()
        print(f"epoch {epoch:3d}  objective {np.mean(losses):.4f}  test MAE {100 * mae:.2f} %SoH  corr {corr:.3f}  spread {out.std().item():.4f} (true {y_test.std().item():.4f})")

#!/usr/bin/env python
# Inverse dynamics of a planar two-link arm: (q, dq, ddq) -> joint torques.
# A learned surrogate for the feed-forward term of the controller.
import argparse
import math

import numpy as np
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--samples", type=int, default=6000)
parser.add_argument("--width", type=int, default=64)
parser.add_argument("--depth", type=int, default=9)
parser.add_argument("--act", choices=["sigmoid", "tanh", "relu", "silu"], default="sigmoid")
parser.add_argument("--steps", type=int, default=2500)
parser.add_argument("--batch", type=int, default=128)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--seed", type=int, default=3)
opt = parser.parse_args()

torch.manual_seed(opt.seed)
rng = np.random.default_rng(opt.seed)


def arm_torque(q, dq, ddq, m=(1.2, 0.8), l=(0.5, 0.4), g=9.81):
    """Closed-form rigid-body dynamics with point masses at the link ends."""
    (m1, m2), (l1, l2) = m, l
    c2, s2 = np.cos(q[:, 1]), np.sin(q[:, 1])
    a = (m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * c2
    b = m2 * l2**2 + m2 * l1 * l2 * c2
    d = m2 * l2**2
    h = m2 * l1 * l2 * s2
    g1 = (m1 + m2) * g * l1 * np.cos(q[:, 0]) + m2 * g * l2 * np.cos(q[:, 0] + q[:, 1])
    g2 = m2 * g * l2 * np.cos(q[:, 0] + q[:, 1])
    t1 = a * ddq[:, 0] + b * ddq[:, 1] - h * (2 * dq[:, 0] * dq[:, 1] + dq[:, 1] ** 2) + g1
    t2 = b * ddq[:, 0] + d * ddq[:, 1] + h * dq[:, 0] ** 2 + g2
    return np.stack([t1, t2], axis=1)


def draw(n):
    q = rng.uniform(-math.pi / 2, math.pi / 2, (n, 2))
    dq = rng.normal(0, 2.0, (n, 2))
    ddq = rng.normal(0, 5.0, (n, 2))
    tau = arm_torque(q, dq, ddq) + rng.normal(0, 0.05, (n, 2))
    return np.concatenate([q, dq, ddq], 1), tau


def as_tensor(a):
    return torch.as_tensor(a, dtype=torch.float32)


x_tr, t_tr = map(as_tensor, draw(opt.samples))
x_va, t_va = map(as_tensor, draw(1000))
x_te, t_te = map(as_tensor, draw(2000))
x_mu, x_sd = x_tr.mean(0), x_tr.std(0)
t_mu, t_sd = t_tr.mean(0), t_tr.std(0)
x_tr, x_va, x_te = [(x - x_mu) / x_sd for x in (x_tr, x_va, x_te)]
y_tr, y_va = (t_tr - t_mu) / t_sd, (t_va - t_mu) / t_sd

ACT = {"sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "relu": nn.ReLU, "silu": nn.SiLU}[opt.act]


def mlp(n_in, n_out, width, depth):
    layers = [nn.Linear(n_in, width), ACT()]
    for _ in range(depth - 1):
        layers += [nn.Linear(width, width), ACT()]
    layers.append(nn.Linear(width, n_out))
    net = nn.Sequential(*layers)
    for m in net:
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            nn.init.zeros_(m.bias)
    return net


net = mlp(6, 2, opt.width, opt.depth)
optim = torch.optim.Adam(net.parameters(), lr=opt.lr)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(optim, opt.steps)
print(net.__class__.__name__, "with", sum(p.numel() for p in net.parameters()), "weights, activation", opt.act)

for step in range(opt.steps):
    idx = torch.randint(0, len(x_tr), (opt.batch,))
    loss = nn.functional.mse_loss(net(x_tr[idx]), y_tr[idx])
    optim.zero_grad()
    loss.backward()
    optim.step()
    sched.step()
    if step % 250 == 0 or step == opt.steps - 1:
        with torch.no_grad():
            val = nn.functional.mse_loss(net(x_va), y_va).item()
        print(f"[{step:5d}] mse train {loss.item():.4f} val {val:.4f}")

net.eval()
with torch.no_grad():
    tau = net(x_te) * t_sd + t_mu
rmse = (tau - t_te).pow(2).mean(0).sqrt()
r2 = 1 - (tau - t_te).pow(2).sum(0) / (t_te - t_te.mean(0)).pow(2).sum(0)
for j in range(2):
    print(f"joint {j + 1}: rmse {rmse[j]:.3f} Nm   R2 {r2[j]:.3f}")

"""Inverse dynamics of a two-link arm: joint state -> torque."""
import json
import numpy as np
import torch as th
from torch.utils.data import TensorDataset, DataLoader

hp = dict(width=96, depth=4, lr=1e-3, bs=64, epochs=18, seed=1)
print(json.dumps(hp))
th.manual_seed(hp["seed"])
rng = np.random.default_rng(hp["seed"])


def torque(q, dq, ddq, m1=1.0, m2=0.8, l1=1.0, l2=0.7, g=9.81):
    c2, s2 = np.cos(q[:, 1]), np.sin(q[:, 1])
    h11 = (m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * c2
    h12 = m2 * l2**2 + m2 * l1 * l2 * c2
    h22 = m2 * l2**2
    cor = m2 * l1 * l2 * s2
    t1 = h11 * ddq[:, 0] + h12 * ddq[:, 1] - cor * (2 * dq[:, 0] * dq[:, 1] + dq[:, 1] ** 2)
    t2 = h12 * ddq[:, 0] + h22 * ddq[:, 1] + cor * dq[:, 0] ** 2
    t1 += (m1 + m2) * g * l1 * np.cos(q[:, 0]) + m2 * g * l2 * np.cos(q[:, 0] + q[:, 1])
    t2 += m2 * g * l2 * np.cos(q[:, 0] + q[:, 1])
    return np.stack([t1, t2], 1)


def sample(n):
    q = rng.uniform(-2, 2, (n, 2))
    dq = rng.normal(0, 1, (n, 2))
    ddq = rng.normal(0, 1, (n, 2))
    tau = torque(q, dq, ddq) + rng.normal(0, 0.2, (n, 2))
    return np.hstack([q, dq, ddq]), tau


xtr, ytr = sample(4000)
xte, yte = sample(1000)
xm, xs, ym, ys = xtr.mean(0), xtr.std(0), ytr.mean(0), ytr.std(0)
as_t = lambda a, m, s: th.tensor((a - m) / s, dtype=th.float32)
xtr, xte = as_t(xtr, xm, xs), as_t(xte, xm, xs)
ytr, yte = as_t(ytr, ym, ys), as_t(yte, ym, ys)


def init_weights(m):
    if isinstance(m, th.nn.Linear):
        th.nn.init.normal_(m.weight)
        th.nn.init.zeros_(m.bias)


dims = [6] + [hp["width"]] * hp["depth"]
layers = []
for a, b in zip(dims[:-1], dims[1:]):
    layers += [th.nn.Linear(a, b), th.nn.ReLU()]
layers.append(th.nn.Linear(dims[-1], 2))
mlp = th.nn.Sequential(*layers)
mlp.apply(init_weights)

opt = th.optim.Adam(mlp.parameters(), lr=hp["lr"])
sched = th.optim.lr_scheduler.CosineAnnealingLR(opt, hp["epochs"])
loader = DataLoader(TensorDataset(xtr, ytr), batch_size=hp["bs"], shuffle=True)

for ep in range(hp["epochs"]):
    mlp.train()
    acc = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = th.nn.functional.mse_loss(mlp(xb), yb)
        loss.backward()
        opt.step()
        acc += loss.item() * len(xb)
    sched.step()
    print("epoch %2d  mse %.4f" % (ep, acc / len(xtr)))

mlp.eval()
with th.no_grad():
    err = (mlp(xte) - yte).pow(2).mean(0)
r2 = 1 - err / yte.var(0)
print("test R2 per joint: %.3f %.3f" % tuple(r2.tolist()))

"""Model-agnostic meta-learning on sine waves, functional style, with learned per-tensor inner rates."""
import math

import torch
import torch.nn as nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(15)

SHOTS, QUERY, TASKS, INNER = 10, 15, 16, 1


def draw_tasks(n, gen):
    amp = torch.empty(n, 1, 1).uniform_(0.5, 2.0, generator=gen)
    phase = torch.empty(n, 1, 1).uniform_(0.0, math.pi, generator=gen)
    x = torch.empty(n, SHOTS + QUERY, 1).uniform_(-3.0, 3.0, generator=gen)
    y = amp * torch.sin(x + phase)
    return x[:, :SHOTS], y[:, :SHOTS], x[:, SHOTS:], y[:, SHOTS:]


net = nn.Sequential(nn.Linear(1, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))
theta = dict(net.named_parameters())
log_rate = {k: nn.Parameter(torch.tensor(math.log(0.03))) for k in theta}


def mse(params, x, y):
    return ((functional_call(net, params, (x,)) - y) ** 2).mean()


def adapt(params, rates, x, y):
    for _ in range(INNER):
        g = grad(mse)(params, x, y)
        params = {k: params[k] - rates[k].exp() * g[k] for k in params}
    return params


def task_loss(params, rates, xs, ys, xq, yq):
    return mse(adapt(params, rates, xs, ys), xq, yq)


batched = vmap(task_loss, in_dims=(None, None, 0, 0, 0, 0))
batched_plain = vmap(lambda p, xs, ys, xq, yq: mse(p, xq, yq), in_dims=(None, 0, 0, 0, 0))

STEPS = 1200
meta = torch.optim.Adam([{"params": list(theta.values()), "lr": 3e-3}, {"params": list(log_rate.values()), "lr": 3e-3}])
plan = torch.optim.lr_scheduler.CosineAnnealingLR(meta, STEPS)
source = torch.Generator().manual_seed(1)

window = 0.0
for step in range(1, STEPS + 1):
    loss = batched(theta, log_rate, *draw_tasks(TASKS, source)).mean()
    meta.zero_grad()
    loss.backward()
    meta.step()
    plan.step()
    window += loss.item()
    if step % 150 == 0:
        print(f"meta step {step:4d}  query loss after {INNER} inner step {window / 150:.4f}")
        window = 0.0

with torch.no_grad():
    unseen = draw_tasks(500, torch.Generator().manual_seed(2))
    before = batched_plain(theta, *unseen).mean().item()
    after = batched(theta, log_rate, *unseen).mean().item()
print(f"500 unseen waves, {SHOTS} shots: mse {before:.3f} before adapting, {after:.3f} after (variance {unseen[3].var().item():.3f})")

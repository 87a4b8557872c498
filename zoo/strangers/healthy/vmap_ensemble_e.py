"""Five small nets trained at once with torch.func; momentum SGD written as a pure function of the state."""
import math

import torch
from sklearn.datasets import make_moons
from sklearn.model_selection import train_test_split
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.manual_seed(42)

MEMBERS, STEPS, BATCH = 5, 500, 64
PEAK_LR, MOMENTUM, DECAY = 0.2, 0.9, 1e-4


def build():
    return nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))


members = [build() for _ in range(MEMBERS)]
params, buffers = stack_module_state(members)
params = {k: v.detach() for k, v in params.items()}
skeleton = build().to("meta")

x, y = make_moons(2400, noise=0.22, random_state=42)
x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=600, stratify=y, random_state=42)
centre, spread = x_tr.mean(0), x_tr.std(0)
to_x = lambda a: torch.tensor((a - centre) / spread, dtype=torch.float32)
to_y = lambda a: torch.tensor(a, dtype=torch.float32)
x_tr, x_te, y_tr, y_te = to_x(x_tr), to_x(x_te), to_y(y_tr), to_y(y_te)


def logits(p, b, inputs):
    return functional_call(skeleton, (p, b), (inputs,)).squeeze(-1)


def objective(p, b, inputs, targets):
    z = logits(p, b, inputs)
    nll = nn.functional.binary_cross_entropy_with_logits(z, targets)
    ridge = sum((w ** 2).sum() for name, w in p.items() if name.endswith("weight"))
    return nll + DECAY * ridge


gradients = vmap(grad_and_value(objective), in_dims=(0, 0, 0, 0))
predict = vmap(logits, in_dims=(0, 0, None))


def lr_at(step):
    warm = min(1.0, (step + 1) / 30)
    return PEAK_LR * warm * 0.5 * (1 + math.cos(math.pi * step / STEPS))


def update(p, velocity, g, lr):
    velocity = {k: MOMENTUM * velocity[k] + g[k] for k in p}
    return {k: p[k] - lr * velocity[k] for k in p}, velocity


def bootstrap_batches(n):
    """Each member draws from its own bootstrap resample of the training rows."""
    own_rows = torch.randint(n, (MEMBERS, n))
    while True:
        pick = torch.randint(n, (MEMBERS, BATCH))
        yield own_rows.gather(1, pick)


velocity = {k: torch.zeros_like(v) for k, v in params.items()}
feed = bootstrap_batches(len(x_tr))
smooth = None
for step in range(STEPS):
    rows = next(feed)
    g, values = gradients(params, buffers, x_tr[rows], y_tr[rows])
    params, velocity = update(params, velocity, g, lr_at(step))
    smooth = values if smooth is None else 0.95 * smooth + 0.05 * values
    if (step + 1) % 100 == 0:
        print(f"step {step + 1}: " + " ".join(f"{v:.3f}" for v in smooth.tolist()))

prob = predict(params, buffers, x_te).sigmoid()
single = ((prob > 0.5) == y_te.bool()).float().mean(1)
joint = ((prob.mean(0) > 0.5) == y_te.bool()).float().mean()
print("members", [round(v, 3) for v in single.tolist()], "ensemble", round(joint.item(), 3))

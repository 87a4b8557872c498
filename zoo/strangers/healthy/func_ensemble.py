"""Deep ensemble trained in one vmap: pure functions, hand-written Adam, no optimizer object."""
import torch
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split

torch.manual_seed(31)
K, STEPS, BATCH = 6, 900, 64


def load():
    x, y = make_friedman1(1200, 10, noise=0.6, random_state=8)
    x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.25, random_state=3)
    xm, xs, ym, ys = x_tr.mean(0), x_tr.std(0), y_tr.mean(), y_tr.std()
    f = lambda a: torch.tensor(a, dtype=torch.float32)
    return f((x_tr - xm) / xs), f((y_tr - ym) / ys), f((x_te - xm) / xs), f((y_te - ym) / ys)


def make():
    return nn.Sequential(nn.Linear(10, 24), nn.Tanh(), nn.Linear(24, 1))


members = [make() for _ in range(K)]
template = make().to("meta")
params, buffers = stack_module_state(members)
params = {k: v.detach() for k, v in params.items()}


def predict(p, x):
    return functional_call(template, (p, buffers), (x,)).squeeze(-1)


def objective(p, x, y):
    ridge = sum((v ** 2).sum() for k, v in p.items() if k.endswith("weight"))
    return ((predict(p, x) - y) ** 2).mean() + 1e-4 * ridge


step_fn = vmap(grad_and_value(objective), in_dims=(0, 0, 0))


def adam(p, g, m, v, t, lr=1e-2, b1=0.9, b2=0.999, eps=1e-8):
    for k in p:
        m[k] = b1 * m[k] + (1 - b1) * g[k]
        v[k] = b2 * v[k] + (1 - b2) * g[k] ** 2
        p[k] = p[k] - lr * (m[k] / (1 - b1 ** t)) / ((v[k] / (1 - b2 ** t)).sqrt() + eps)
    return p, m, v


x_tr, y_tr, x_te, y_te = load()
m = {k: torch.zeros_like(v) for k, v in params.items()}
v = {k: torch.zeros_like(w) for k, w in params.items()}
for t in range(1, STEPS + 1):
    idx = torch.randint(0, len(x_tr), (K, BATCH))          # a bootstrap batch for every member
    grads, losses = step_fn(params, x_tr[idx], y_tr[idx])
    params, m, v = adam(params, grads, m, v, t)
    if t % 150 == 0:
        print(f"{t:4d} mean objective {losses.mean().item():.4f}")

preds = vmap(predict, in_dims=(0, None))(params, x_te)
mean, spread = preds.mean(0), preds.std(0)
r2 = 1 - ((mean - y_te) ** 2).mean() / ((y_te - y_te.mean()) ** 2).mean()
print(f"ensemble R2 {r2.item():.3f}, mean disagreement {spread.mean().item():.3f}")

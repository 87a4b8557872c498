# Ensemble of K small nets trained at once with torch.func; no nn.Module in the loop,
# no .backward(), no optimizer object: parameters are plain dicts of tensors.
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.manual_seed(5)
K, STEPS, B = 6, 700, 96

X, y = load_digits(return_X_y=True)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, random_state=5, stratify=y)
X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.2, random_state=5, stratify=y_tr)
mu, sd = X_tr.mean(), X_tr.std()
X_tr, X_va, X_te = (torch.tensor((a - mu) / sd, dtype=torch.float32) for a in (X_tr, X_va, X_te))
y_tr, y_va, y_te = map(torch.tensor, (y_tr, y_va, y_te))


def net():
    return nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 10))


template = net().to("meta")
params, _ = stack_module_state([net() for _ in range(K)])
params = {k: v.detach() for k, v in params.items()}


def loss_one(p, xb, yb):
    logp = functional_call(template, p, (xb,)).log_softmax(-1)
    nll = -logp.gather(1, yb[:, None]).mean()
    decay = sum((w ** 2).sum() for n, w in p.items() if "weight" in n)
    return nll + 3e-4 * decay


step_all = vmap(grad_and_value(loss_one))
predict_all = vmap(lambda p, xb: functional_call(template, p, (xb,)).log_softmax(-1), in_dims=(0, None))


def init_state(p):
    zeros = {k: torch.zeros_like(v) for k, v in p.items()}
    return zeros, {k: v.clone() for k, v in zeros.items()}


def adam(p, g, m, v, t, lr):
    m = {k: 0.9 * m[k] + 0.1 * g[k] for k in p}
    v = {k: 0.999 * v[k] + 0.001 * g[k] ** 2 for k in p}
    new = {}
    for k in p:
        mh, vh = m[k] / (1 - 0.9 ** t), v[k] / (1 - 0.999 ** t)
        new[k] = p[k] - lr * mh / (vh.sqrt() + 1e-8)
    return new, m, v


def members_and_mixture(p, x, y):
    logp = predict_all(p, x)
    single = (logp.argmax(-1) == y).float().mean(1)
    mix = torch.logsumexp(logp, 0) - torch.log(torch.tensor(float(K)))
    return single, (mix.argmax(-1) == y).float().mean(), -mix[torch.arange(len(y)), y].mean()


m, v = init_state(params)
history = []
for t in range(1, STEPS + 1):
    pick = torch.randint(len(X_tr), (K, B))                 # each member sees its own bootstrap batches
    lr = 2e-3 * (1.0 if t < 0.6 * STEPS else 0.2)
    grads, losses = step_all(params, X_tr[pick], y_tr[pick])
    params, m, v = adam(params, grads, m, v, t, lr)
    history.append(losses.mean().item())
    if t % 70 == 0:
        _, acc, nll = members_and_mixture(params, X_va, y_va)
        print(f"step {t:4d} loss {sum(history[-70:]) / 70:.4f} val nll {nll:.4f} val acc {acc:.3f}")

single, acc, nll = members_and_mixture(params, X_te, y_te)
print(f"test: members {single.mean():.3f}, ensemble {acc:.3f}, nll {nll:.4f}")

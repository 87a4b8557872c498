"""No nn.Module, no optimizer: pure functions over a pytree of parameters."""
import torch
from sklearn.datasets import make_moons
from torch.func import grad_and_value, vmap

gen = torch.Generator().manual_seed(0)
X, y = make_moons(1500, noise=0.18, random_state=0)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
X_tr, y_tr, X_te, y_te = X[:1000], y[:1000], X[1000:], y[1000:]
mu, sd = X_tr.mean(0), X_tr.std(0)
X_tr, X_te = (X_tr - mu) / sd, (X_te - mu) / sd


def dense(n_in, n_out):
    return {"w": torch.randn(n_in, n_out, generator=gen) * (2 / n_in) ** 0.5, "b": torch.zeros(n_out)}


params = [dense(2, 32), dense(32, 32), dense(32, 1)]


def apply(params, x):
    *hidden, last = params
    for layer in hidden:
        x = torch.relu(x @ layer["w"] + layer["b"])
    return (x @ last["w"] + last["b"])[0]


def example_loss(params, x, target):
    z = apply(params, x)
    return torch.clamp(z, min=0) - z * target + torch.log1p(torch.exp(-z.abs()))


def batch_loss(params, xs, ys):
    return vmap(example_loss, in_dims=(None, 0, 0))(params, xs, ys).mean()


step_fn = grad_and_value(batch_loss)
velocity = [{k: torch.zeros_like(v) for k, v in layer.items()} for layer in params]
LR, MOMENTUM = 0.05, 0.9
for epoch in range(20):
    order = torch.randperm(len(X_tr), generator=gen)
    total = 0.0
    for idx in order.split(50):
        grads, value = step_fn(params, X_tr[idx], y_tr[idx])
        velocity = [{k: MOMENTUM * v[k] + g[k] for k in v} for v, g in zip(velocity, grads)]
        params = [{k: p[k] - LR * v[k] for k in p} for p, v in zip(params, velocity)]
        total += value.item() * len(idx)
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1:2d} loss {total / len(X_tr):.4f}")

scores = vmap(apply, in_dims=(None, 0))(params, X_te)
print(f"test accuracy {((scores > 0).float() == y_te).float().mean().item():.3f}")

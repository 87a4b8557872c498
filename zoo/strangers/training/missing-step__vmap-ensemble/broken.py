# Deep ensemble on Friedman #1, all members trained at once with torch.func
import torch
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

MEMBERS = 8
LR, MOMENTUM = 0.02, 0.9
EPOCHS, BATCH = 40, 64

torch.manual_seed(0)
X, y = make_friedman1(n_samples=2500, n_features=10, noise=0.7, random_state=0)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.3, random_state=0)
X_tr, X_va, y_tr, y_va = train_test_split(X_tr, y_tr, test_size=0.2, random_state=0)
xm, xs, ym, ys = X_tr.mean(0), X_tr.std(0), y_tr.mean(), y_tr.std()


def prep(a, b):
    return (torch.tensor((a - xm) / xs, dtype=torch.float32),
            torch.tensor((b - ym) / ys, dtype=torch.float32))


(X_tr, y_tr), (X_va, y_va), (X_te, y_te) = prep(X_tr, y_tr), prep(X_va, y_va), prep(X_te, y_te)


def make_net():
    return nn.Sequential(nn.Linear(10, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))


template = make_net().to("meta")
params, buffers = stack_module_state([make_net() for _ in range(MEMBERS)])
params = {k: v.detach().clone() for k, v in params.items()}
velocity = {k: torch.zeros_like(v) for k, v in params.items()}


def predict_one(p, b, x):
    return functional_call(template, (p, b), (x,)).squeeze(-1)


def loss_one(p, b, x, t):
    return ((predict_one(p, b, x) - t) ** 2).mean()


ensemble_grad = vmap(grad_and_value(loss_one), in_dims=(0, 0, 0, 0))
ensemble_predict = vmap(predict_one, in_dims=(0, 0, None))


def sgd(params, grads, velocity, lr):
    for name in params:
        velocity[name].mul_(MOMENTUM).add_(grads[name])
        params[name].sub(lr * velocity[name])


def evaluate(x, t):
    out = ensemble_predict(params, buffers, x)
    mean = out.mean(0)
    rmse = ((mean - t) ** 2).mean().sqrt() * ys
    single = ((out - t) ** 2).mean(1).sqrt().mean() * ys
    r2 = 1 - ((mean - t) ** 2).sum() / ((t - t.mean()) ** 2).sum()
    return rmse.item(), single.item(), r2.item()


n = len(X_tr)
steps = n // BATCH
for epoch in range(EPOCHS):
    lr = LR * (1 - epoch / EPOCHS)
    orders = torch.stack([torch.randperm(n) for _ in range(MEMBERS)])
    running = torch.zeros(MEMBERS)
    for s in range(steps):
        idx = orders[:, s * BATCH:(s + 1) * BATCH]
        grads, losses = ensemble_grad(params, buffers, X_tr[idx], y_tr[idx])
        sgd(params, grads, velocity, lr)
        running += losses
    if epoch % 5 == 4:
        rmse, single, r2 = evaluate(X_va, y_va)
        print(f"epoch {epoch + 1:3d} | mse/member {(running / steps).mean():.4f} | val rmse ens {rmse:.3f} avg {single:.3f} | R2 {r2:.3f}")

rmse, single, r2 = evaluate(X_te, y_te)
print(f"TEST ensemble rmse {rmse:.3f}, single-member rmse {single:.3f}, R2 {r2:.3f} (noise floor 0.7)")

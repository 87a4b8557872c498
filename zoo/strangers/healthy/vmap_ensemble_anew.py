"""Eight regressors trained at once with torch.func and plain SGD with momentum written by hand."""
import torch
from sklearn.datasets import make_friedman1
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.manual_seed(13)
X, y = make_friedman1(3000, n_features=8, noise=0.7, random_state=13)
X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
Xtr, ytr, Xte, yte = X[:2400], y[:2400], X[2400:], y[2400:]
xm, xs, ym, ys = Xtr.mean(0), Xtr.std(0), ytr.mean(), ytr.std()
Xtr, Xte, ytr = (Xtr - xm) / xs, (Xte - xm) / xs, (ytr - ym) / ys


def member():
    return torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))


K = 8
params, buffers = stack_module_state([member() for _ in range(K)])
params = {n: p.detach() for n, p in params.items()}
skeleton = member().to("meta")


def loss_fn(p, x, t):
    return (functional_call(skeleton, p, (x,)).squeeze(-1) - t).square().mean()


step = vmap(grad_and_value(loss_fn))
speed = {n: torch.zeros_like(p) for n, p in params.items()}
EPOCHS = 40
for epoch in range(EPOCHS):
    lr = 0.05 * (1 - epoch / EPOCHS)
    orders = torch.stack([torch.randperm(len(Xtr)) for _ in range(K)])
    running = 0.0
    for idx in orders.split(60, dim=1):
        grads, losses = step(params, Xtr[idx], ytr[idx])
        for n in params:
            speed[n] = 0.9 * speed[n] + grads[n]
            params[n] = params[n] - lr * speed[n]
        running += losses.mean().item() * idx.shape[1]
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1} mean loss {running / len(Xtr):.4f}")

pred = vmap(lambda p: functional_call(skeleton, p, (Xte,)).squeeze(-1))(params).mean(0) * ys + ym
r2 = 1 - (pred - yte).square().sum() / (yte - yte.mean()).square().sum()
print(f"held-out R2 of the ensemble {r2:.4f}")

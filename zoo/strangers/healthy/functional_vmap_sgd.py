"""Three-class tabular data with nothing but tensors: no nn.Module, no optimizer object, an ensemble of eight nets by vmap.

Gradients come from torch.func, parameters are plain dictionaries and each step makes new ones.
"""
import math

import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch.func import grad_and_value, vmap

K, D, H, C = 8, 16, 24, 3
EPOCHS, BATCH, MU = 40, 100, 0.9
key = torch.Generator().manual_seed(123)

X, Y = make_classification(n_samples=4000, n_features=D, n_informative=9, n_redundant=2, n_classes=C,
                           n_clusters_per_class=2, class_sep=1.4, flip_y=0.02, random_state=8)
x_dev, x_test, y_dev, y_test = train_test_split(X, Y, test_size=0.25, stratify=Y, random_state=1)
x_fit, x_val, y_fit, y_val = train_test_split(x_dev, y_dev, test_size=0.2, stratify=y_dev, random_state=1)
mu, sd = x_fit.mean(0), x_fit.std(0)
prep = lambda a: torch.tensor((a - mu) / sd, dtype=torch.float32)
x_fit, x_val, x_test = prep(x_fit), prep(x_val), prep(x_test)
y_fit, y_val, y_test = (torch.tensor(a) for a in (y_fit, y_val, y_test))


def init(k):
    def w(i, o):
        return torch.randn(k, i, o, generator=key) * math.sqrt(2.0 / i)
    return {"w1": w(D, H), "b1": torch.zeros(k, H), "w2": w(H, H), "b2": torch.zeros(k, H),
            "w3": w(H, C) * 0.5, "b3": torch.zeros(k, C)}


def net(p, x):
    h = (x @ p["w1"] + p["b1"]).relu()
    h = (h @ p["w2"] + p["b2"]).relu()
    return h @ p["w3"] + p["b3"]


def nll(p, x, y):
    z = net(p, x)
    z = z - z.amax(dim=1, keepdim=True)
    log_p = z - z.exp().sum(dim=1, keepdim=True).log()
    picked = log_p.gather(1, y.unsqueeze(1)).sum()
    l2 = sum((v ** 2).sum() for k, v in p.items() if k.startswith("w"))
    return -picked / len(y) + 5e-4 * l2


step_all = vmap(grad_and_value(nll), in_dims=(0, 0, 0))


def vote(p, x):
    with torch.no_grad():
        return vmap(net, in_dims=(0, None))(p, x).softmax(dim=-1).mean(dim=0)


params = init(K)
speed = {k: torch.zeros_like(v) for k, v in params.items()}
n = len(y_fit)
total = EPOCHS * (n // BATCH)
t = 0
for epoch in range(1, EPOCHS + 1):
    order = torch.stack([torch.randperm(n, generator=key) for _ in range(K)])
    seen = torch.zeros(K)
    for j in range(n // BATCH):
        take = order[:, j * BATCH:(j + 1) * BATCH]
        g, loss = step_all(params, x_fit[take], y_fit[take])
        rate = 0.05 * 0.5 * (1 + math.cos(math.pi * t / total))
        speed = {k: MU * speed[k] - rate * g[k] for k in params}
        params = {k: params[k] + speed[k] for k in params}
        seen += loss
        t += 1
    if epoch % 4 == 0:
        q = vote(params, x_val)
        print(f"epoch {epoch:2d}  loss of the members {[round(v, 3) for v in (seen / (n // BATCH)).tolist()[:3]]}..."
              f"  val accuracy of the vote {(q.argmax(1) == y_val).float().mean():.3f}")

print(f"test accuracy of the vote: {(vote(params, x_test).argmax(1) == y_test).float().mean():.3f}")

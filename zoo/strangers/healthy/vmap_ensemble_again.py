# eight nets at once, two spirals and a bit more: torch.func, no modules, no optimizer object
import sys

import torch
from torch.func import grad_and_value, vmap

seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
g = torch.Generator().manual_seed(seed)
torch.manual_seed(seed)
E, D, H, K, B, STEPS, LR = 8, 2, 32, 3, 64, 2000, 2e-3


def spirals(n):
    y = torch.randint(K, (n,), generator=g)
    r = torch.rand(n, generator=g).sqrt() * 3 + 0.2
    a = 1.6 * r + 2 * torch.pi * y / K + 0.3 * torch.randn(n, generator=g)
    return torch.stack([r * a.cos(), r * a.sin()], 1), y


def init(*dims):
    n = lambda i, o: torch.randn(E, i, o, generator=g) * (2 / i) ** 0.5
    return {k: v for j, (i, o) in enumerate(zip(dims, dims[1:]))
            for k, v in ((f"w{j}", n(i, o)), (f"b{j}", torch.zeros(E, o)))}


def f(p, x):
    L = len(p) // 2
    for j in range(L):
        x = x @ p[f"w{j}"] + p[f"b{j}"]
        x = x.relu() if j < L - 1 else x
    return x


def loss(p, x, y):
    z = f(p, x)
    return (z.logsumexp(-1) - z.gather(-1, y[:, None])[:, 0]).mean()


def adam(p, s, d, t, lr, b1=.9, b2=.99, eps=1e-8):
    m = {k: b1 * s[0][k] + (1 - b1) * d[k] for k in p}
    v = {k: b2 * s[1][k] + (1 - b2) * d[k] ** 2 for k in p}
    step = lambda k: lr * (m[k] / (1 - b1 ** t)) / ((v[k] / (1 - b2 ** t)).sqrt() + eps)
    return {k: p[k] - step(k) for k in p}, (m, v)


(xt, yt), (xv, yv), (xe, ye) = spirals(1500), spirals(400), spirals(1500)
mu, sd = xt.mean(0), xt.std(0)
xt, xv, xe = ((x - mu) / sd for x in (xt, xv, xe))

P = init(D, H, H, K)
S = ({k: torch.zeros_like(v) for k, v in P.items()},) * 2
sweep = vmap(grad_and_value(loss))
probs = lambda p, x: vmap(f, (0, None))(p, x).softmax(-1)

for t in range(1, STEPS + 1):
    i = torch.randint(len(xt), (E, B), generator=g)      # own bootstrap batch for each member
    d, l = sweep(P, xt[i], yt[i])
    P, S = adam(P, S, d, t, LR * (1 - (t - 1) / STEPS))
    if t % 250 == 0:
        q = probs(P, xv)
        print(f"{t:5d}  loss {l.mean():.4f} (worst {l.max():.4f})  val {(q.mean(0).argmax(-1) == yv).float().mean():.3f}")

q = probs(P, xe)
one = (q.argmax(-1) == ye).float().mean(1)
print(f"test: single nets {one.mean():.3f} (min {one.min():.3f})  ensemble {(q.mean(0).argmax(-1) == ye).float().mean():.3f}")

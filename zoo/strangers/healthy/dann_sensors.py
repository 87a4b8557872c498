# %% [markdown]
# Domain-adversarial training: gas sensor array, old rig (labelled) -> new rig (unlabelled)

# %%
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(77)
rng = np.random.default_rng(77)
N_CLASS, D = 4, 16
centres = rng.normal(0, 1.0, (N_CLASS, 6))
MIX = rng.normal(0, 1, (6, D)) / np.sqrt(6)
DRIFT_DIR = rng.normal(0, 1, D)
DRIFT_DIR /= np.linalg.norm(DRIFT_DIR)


def rig(n, drifted):
    y = rng.integers(0, N_CLASS, n)
    z = centres[y] * 1.6 + rng.normal(0, 0.55, (n, 6))
    x = np.tanh(z @ MIX) * 2 + rng.normal(0, 0.15, (n, D))
    if drifted:
        x = x * np.linspace(0.8, 1.2, D) + 3.0 * DRIFT_DIR
    return torch.tensor(x, dtype=torch.float32), torch.tensor(y)


Xs, ys = rig(2000, False)
Xs_val, ys_val = rig(500, False)
Xt, _ = rig(2000, True)            # new rig: gas labels are not available at fit time
Xt_test, yt_test = rig(1000, True)

mu, sd = Xs.mean(0), Xs.std(0)
Xs, Xs_val, Xt, Xt_test = ((a - mu) / sd for a in (Xs, Xs_val, Xt, Xt_test))

# %%
class ReverseGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.lam * g, None


def make_parts():
    feat = nn.Sequential(nn.Linear(D, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU())
    head = nn.Linear(32, N_CLASS)
    critic = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
    return feat, head, critic


def accuracy(feat, head, X, y):
    with torch.no_grad():
        return (head(feat(X)).argmax(1) == y).float().mean().item()


def fit(adversarial, steps=1500, bs=64):
    torch.manual_seed(5)
    feat, head, critic = make_parts()
    params = [*feat.parameters(), *head.parameters(), *critic.parameters()]
    opt = torch.optim.SGD(params, lr=0.02, momentum=0.9, weight_decay=1e-4)
    name = "DANN  " if adversarial else "source"
    for k in range(steps):
        p = k / steps
        lam = 0.5 * (2 / (1 + math.exp(-10 * p)) - 1)
        for g in opt.param_groups:
            g["lr"] = 0.02 / (1 + 10 * p) ** 0.75
        i = torch.randint(len(Xs), (bs,))
        fs = feat(Xs[i])
        cls = F.cross_entropy(head(fs), ys[i])
        loss, note = cls, ""
        if adversarial:
            j = torch.randint(len(Xt), (bs,))
            both = torch.cat([fs, feat(Xt[j])])
            d = critic(ReverseGrad.apply(both, lam)).squeeze(1)
            which = torch.cat([torch.zeros(bs), torch.ones(bs)])
            dom = F.binary_cross_entropy_with_logits(d, which)
            loss = cls + dom
            note = f"  domain {dom.item():.3f}"
        opt.zero_grad()
        loss.backward()
        opt.step()
        if (k + 1) % 300 == 0:
            print(f"{name} {k + 1:5d}  class {cls.item():.3f}{note}  "
                  f"old-rig val {accuracy(feat, head, Xs_val, ys_val):.3f}")
    return feat, head

# %%
plain = fit(adversarial=False)
dann = fit(adversarial=True)

# %%
print()
print(f"new rig accuracy, source only : {accuracy(*plain, Xt_test, yt_test):.3f}")
print(f"new rig accuracy, adversarial : {accuracy(*dann, Xt_test, yt_test):.3f}")
print(f"old rig accuracy, adversarial : {accuracy(*dann, Xs_val, ys_val):.3f}")

"""A deep ensemble trained in one go with torch.func (vmap over members)."""
from __future__ import annotations

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

MEMBERS = 5
HIDDEN = 48
MOMENTUM = 0.9


def member() -> nn.Module:
    return nn.Sequential(nn.Linear(64, HIDDEN), nn.Tanh(),
                         nn.Linear(HIDDEN, HIDDEN), nn.Tanh(),
                         nn.Linear(HIDDEN, 10))


skeleton = member().to("meta")


def apply_one(params, x):
    return functional_call(skeleton, params, (x,))


def loss_one(params, x, y):
    return F.cross_entropy(apply_one(params, x), y)


ensemble_grad = vmap(grad_and_value(loss_one), in_dims=(0, 0, 0))
ensemble_apply = vmap(apply_one, in_dims=(0, None))


def bootstrap_batches(n_rows: int, batch: int, gen: torch.Generator):
    """Every member sees the rows in its own order."""
    orders = torch.stack([torch.randperm(n_rows, generator=gen) for _ in range(MEMBERS)])
    for cols in orders.split(batch, dim=1):
        yield cols


def train_epoch(params, velocity, X, y, lr, gen, batch=50):
    history = []
    for idx in bootstrap_batches(len(X), batch, gen):
        grads, losses = ensemble_grad(params, X[idx], y[idx])
        for name, g in grads.items():
            velocity[name] = MOMENTUM * velocity[name] + g
        params = {name: p - lr * velocity[name] for name, p in params.items()}
        history.append(losses)
    return torch.stack(history).mean(0)


def assess(params, X, y):
    probs = ensemble_apply(params, X).softmax(-1)
    single = (probs.argmax(-1) == y).float().mean(-1)
    joint = probs.mean(0)
    together = (joint.argmax(-1) == y).float().mean()
    nll = F.nll_loss(joint.clamp_min(1e-9).log(), y)
    return single, together, nll


def main():
    torch.manual_seed(17)
    gen = torch.Generator().manual_seed(17)
    X, y = load_digits(return_X_y=True)
    Xa, Xb, ya, yb = train_test_split(X / 16.0, y, test_size=0.3, stratify=y, random_state=17)
    Xa, Xb = (torch.tensor(v, dtype=torch.float32) - 0.3 for v in (Xa, Xb))
    ya, yb = torch.tensor(ya), torch.tensor(yb)

    params, _ = stack_module_state([member() for _ in range(MEMBERS)])
    params = {k: v.detach() for k, v in params.items()}
    velocity = {k: torch.zeros_like(v) for k, v in params.items()}
    print(f"{MEMBERS} members, {sum(v[0].numel() for v in params.values())} weights each")

    for epoch in range(40):
        lr = 0.05 if epoch < 28 else 0.01
        per_member = train_epoch(params, velocity, Xa, ya, lr, gen)
        if epoch % 4 == 3:
            single, together, nll = assess(params, Xb, yb)
            members = " ".join(f"{v:.3f}" for v in per_member)
            print(f"epoch {epoch + 1:3d} | member losses [{members}] | "
                  f"held-out: mean member {single.mean():.4f}, ensemble {together:.4f}, nll {nll:.4f}")

    single, together, nll = assess(params, Xb, yb)
    print(f"done. best member {single.max():.4f}  ensemble accuracy {together:.4f}  nll {nll:.4f}")


if __name__ == "__main__":
    main()

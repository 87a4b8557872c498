"""Second-order MAML on sinusoids, written with torch.func: the module is a template, the weights are a dict."""
import argparse

import torch
import torch.nn as nn
from torch.func import functional_call, grad, vmap


class Net(nn.Sequential):
    def __init__(self, h=64):
        super().__init__(nn.Linear(1, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh(), nn.Linear(h, 1))


def tasks(n, shots, g):
    """y = A sin(x + phase); support and query points of a task are drawn apart."""
    amp = torch.rand(n, 1, 1, generator=g) * 1.5 + 0.5
    ph = torch.rand(n, 1, 1, generator=g) * torch.pi
    x = torch.rand(n, 2 * shots, 1, generator=g) * 6 - 3
    y = amp * torch.sin(x + ph)
    x = x / 3 ** 0.5  # unit spread
    return x[:, :shots], y[:, :shots], x[:, shots:], y[:, shots:]


def build(template, inner_lr, inner_steps):
    def mse(w, x, y):
        return (functional_call(template, w, (x,)) - y).square().mean()

    def adapt_and_score(w, xs, ys, xq, yq):
        before = mse(w, xq, yq)
        for _ in range(inner_steps):
            slope = grad(mse)(w, xs, ys)
            w = {k: v - inner_lr * slope[k] for k, v in w.items()}
        return mse(w, xq, yq), before

    return vmap(adapt_and_score, in_dims=(None, 0, 0, 0, 0), randomness="error")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iterations", type=int, default=1200)
    ap.add_argument("--meta-batch", type=int, default=24)
    ap.add_argument("--shots", type=int, default=10)
    ap.add_argument("--inner-lr", type=float, default=0.1)
    ap.add_argument("--inner-steps", type=int, default=3)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=0)
    a = ap.parse_args()

    torch.manual_seed(a.seed)
    g = torch.Generator().manual_seed(a.seed + 1)
    template = Net()
    weights = {k: v.detach().clone().requires_grad_() for k, v in template.named_parameters()}
    template.to("meta")  # its own tensors are never used again
    run = build(template, a.inner_lr, a.inner_steps)
    opt = torch.optim.Adam(weights.values(), lr=a.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.iterations, eta_min=a.lr / 40)
    val = tasks(400, a.shots, torch.Generator().manual_seed(10_000))

    recent = []
    for it in range(1, a.iterations + 1):
        post, _ = run(weights, *tasks(a.meta_batch, a.shots, g))
        loss = post.mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        recent.append(loss.item())
        if it % 120 == 0:
            with torch.no_grad():  # func.grad inside still differentiates; only the outer graph is spared
                post, before = run(weights, *val)
            print(f"it {it:5d}  meta-train {sum(recent) / len(recent):.4f}   val tasks: before {before.mean():.4f}"
                  f"  after {a.inner_steps} steps {post.mean():.4f}")
            recent.clear()

    with torch.no_grad():
        post, before = run(weights, *tasks(1000, a.shots, torch.Generator().manual_seed(20_000)))
    ci = 1.96 * post.std() / len(post) ** 0.5
    print(f"1000 test tasks: mse {before.mean():.4f} -> {post.mean():.4f} +- {ci:.4f}")


if __name__ == "__main__":
    main()

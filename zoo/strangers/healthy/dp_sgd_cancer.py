"""DP-SGD by hand: per-example gradients via torch.func, clipping, Gaussian noise, Poisson sampling."""
import argparse, math
import numpy as np
import torch
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score, accuracy_score
from sklearn.model_selection import train_test_split
from torch.func import functional_call, grad_and_value, vmap


def rdp_subsampled_gaussian(q, sigma, steps, delta):
    """Integer-order RDP of the Poisson-subsampled Gaussian mechanism, converted to (eps, delta)."""
    best = math.inf
    for a in range(2, 64):
        terms = [math.lgamma(a + 1) - math.lgamma(k + 1) - math.lgamma(a - k + 1) + k * math.log(q) + (a - k) * math.log1p(-q)
                 + (k * k - k) / (2 * sigma ** 2) for k in range(a + 1)]
        mx = max(terms)
        rdp = (mx + math.log(sum(math.exp(t - mx) for t in terms))) / (a - 1)
        best = min(best, steps * rdp + math.log(1 / delta) / (a - 1))
    return best


def build(d):
    return torch.nn.Sequential(torch.nn.Linear(d, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))


def clipped_noisy_grads(per_ex, C, sigma, denom, gen):
    norms = torch.sqrt(sum(g.flatten(1).pow(2).sum(1) for g in per_ex.values()))
    coef = (C / (norms + 1e-6)).clamp(max=1.0)
    out = {}
    for k, g in per_ex.items():
        summed = torch.einsum("b,b...->...", coef, g)
        out[k] = (summed + sigma * C * torch.randn(summed.shape, generator=gen)) / denom
    return out, (coef < 1).float().mean().item()


def evaluate(net, params, X, y):
    with torch.no_grad():
        p = torch.sigmoid(functional_call(net, params, (X,)).squeeze(1)).numpy()
    return roc_auc_score(y, p), accuracy_score(y, p > 0.5)


def fit(args, net, Xtr, ytr, Xte, yte, sigma, tag):
    gen = torch.Generator().manual_seed(args.seed)
    params = {k: v.detach().clone() for k, v in net.named_parameters()}
    velocity = {k: torch.zeros_like(v) for k, v in params.items()}

    def one(p, x, t):
        out = functional_call(net, p, (x[None],)).squeeze()
        return torch.nn.functional.binary_cross_entropy_with_logits(out, t)

    per_example = vmap(grad_and_value(one), in_dims=(None, 0, 0))
    q = args.lot / len(Xtr)
    for step in range(1, args.steps + 1):
        take = torch.rand(len(Xtr), generator=gen) < q
        if not take.any():
            continue
        g, losses = per_example(params, Xtr[take], ytr[take])
        g, frac = clipped_noisy_grads(g, args.clip, sigma, args.lot, gen)
        for k in params:
            velocity[k].mul_(args.momentum).add_(g[k])
            params[k] = params[k] - args.lr * velocity[k]
        if step % 150 == 0:
            auc, acc = evaluate(net, params, Xte, yte)
            eps = rdp_subsampled_gaussian(q, sigma, step, 1e-3) if sigma else math.inf
            print(f"{tag:<8} step {step:4d} lot={int(take.sum()):3d} loss={losses.mean():.4f} clipped={frac:.2f} eps={eps:.2f} test auc={auc:.4f} acc={acc:.4f}")
    return evaluate(net, params, Xte, yte)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=600)
    ap.add_argument("--lot", type=int, default=64)
    ap.add_argument("--clip", type=float, default=1.0)
    ap.add_argument("--sigma", type=float, default=2.0)
    ap.add_argument("--lr", type=float, default=0.1)
    ap.add_argument("--momentum", type=float, default=0.8)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.manual_seed(args.seed)

    X, y = load_breast_cancer(return_X_y=True)
    Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.3, stratify=y, random_state=args.seed)
    mu, sd = Xtr.mean(0), Xtr.std(0)
    f = lambda a: torch.tensor(np.clip((a - mu) / sd, -4, 4), dtype=torch.float32)
    net = build(X.shape[1])
    data = f(Xtr), torch.tensor(ytr, dtype=torch.float32), f(Xte), yte
    auc0, acc0 = fit(args, net, *data, sigma=0.0, tag="clip")
    auc1, acc1 = fit(args, net, *data, sigma=args.sigma, tag="dp")
    print(f"clip only  AUC {auc0:.4f} acc {acc0:.4f}\nDP (1e-3)  AUC {auc1:.4f} acc {acc1:.4f}")

"""An ensemble of quantile regressors trained at once with torch.func: stacked parameters, vmapped forward, pure loss."""
from functools import partial

import numpy as np
import torch
from sklearn.datasets import make_friedman1
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

QUANTILES = torch.tensor([0.1, 0.5, 0.9])
MEMBERS = 8


def make_net(n_in: int) -> nn.Module:
    return nn.Sequential(nn.Linear(n_in, 32), nn.SiLU(), nn.Linear(32, len(QUANTILES)))


def pinball(prediction: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    gap = target[:, None] - prediction
    return torch.maximum(QUANTILES * gap, (QUANTILES - 1) * gap).mean()


def load():
    x, y = make_friedman1(n_samples=1600, n_features=8, noise=1.0, random_state=0)
    x_rest, x_test, y_rest, y_test = train_test_split(x, y, test_size=0.2, random_state=0)
    x_fit, x_val, y_fit, y_val = train_test_split(x_rest, y_rest, test_size=0.2, random_state=0)
    sx, sy = StandardScaler().fit(x_fit), StandardScaler().fit(y_fit[:, None])

    def prep(a, b):
        return (torch.tensor(sx.transform(a), dtype=torch.float32),
                torch.tensor(sy.transform(b[:, None])[:, 0], dtype=torch.float32))

    return prep(x_fit, y_fit), prep(x_val, y_val), prep(x_test, y_test)


def main():
    torch.manual_seed(8)
    (xf, yf), (xv, yv), (xt, yt) = load()
    nets = [make_net(xf.shape[1]) for _ in range(MEMBERS)]
    params, buffers = stack_module_state(nets)
    params = {name: p.detach() for name, p in params.items()}
    skeleton = make_net(xf.shape[1]).to("meta")

    def forward(p, b, x):
        return functional_call(skeleton, (p, b), (x,))

    def objective(p, b, x, y):
        weight_penalty = sum(v.square().sum() for k, v in p.items() if k.endswith("weight"))
        return pinball(forward(p, b, x), y) + 2e-4 * weight_penalty

    derivative = vmap(grad_and_value(objective))
    everyone = vmap(forward, in_dims=(0, 0, None))

    def ensemble(x):
        with torch.no_grad():
            return everyone(params, buffers, x).mean(dim=0).sort(dim=1).values

    velocity = {k: torch.zeros_like(v) for k, v in params.items()}
    batch, epochs, momentum = 64, 40, 0.9
    generator = torch.Generator().manual_seed(8)
    rate_at = partial(np.interp, xp=[0, 3, epochs], fp=[0.005, 0.05, 0.002])

    for epoch in range(epochs):
        rate = float(rate_at(epoch))
        orders = torch.stack([torch.randperm(len(yf), generator=generator) for _ in range(MEMBERS)])
        losses = []
        for pick in orders.split(batch, dim=1):
            grads, values = derivative(params, buffers, xf[pick], yf[pick])
            for name, g in grads.items():
                velocity[name] = momentum * velocity[name] + g
                params[name] = params[name] - rate * velocity[name]
            losses.append(values.mean().item())
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1:3d}  objective {np.mean(losses):.4f}  valid pinball {pinball(ensemble(xv), yv):.4f}")

    q = ensemble(xt)
    inside = ((yt >= q[:, 0]) & (yt <= q[:, 2])).float().mean()
    constant = torch.quantile(yf, QUANTILES).expand(len(yt), -1)
    print(f"test pinball {pinball(q, yt):.4f} (constant quantiles {pinball(constant, yt):.4f}), 80% band covers {inside:.1%}")


if __name__ == "__main__":
    main()

"""Deep ensemble trained in one go with torch.func: eight regressors share every vectorised forward pass.

Each member sees its own bootstrap weights; the spread of the members is the epistemic uncertainty.
"""
import copy
from functools import partial

import torch
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

SEED, MEMBERS, STEPS, BATCH = 4, 8, 1200, 64


def target_fn(x):
    return torch.sin(3 * x[:, 0]) + 0.5 * x[:, 1] ** 2 - x[:, 0] * x[:, 2]


def sample(n, generator, low=-1.5, high=1.5):
    x = torch.rand(n, 3, generator=generator) * (high - low) + low
    return x, target_fn(x) + 0.1 * torch.randn(n, generator=generator)


def build_member():
    return nn.Sequential(nn.Linear(3, 48), nn.Tanh(), nn.Linear(48, 48), nn.Tanh(), nn.Linear(48, 1))


def member_loss(skeleton, params, buffers, x, y, w):
    out = functional_call(skeleton, (params, buffers), (x,)).squeeze(-1)
    return (w * (out - y) ** 2).sum() / w.sum().clamp(min=1.0)


class FunctionalAdam:
    """Adam on a dictionary of stacked parameters, without autograd state."""

    def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8):
        self.lr, self.betas, self.eps, self.t = lr, betas, eps, 0
        self.m = {k: torch.zeros_like(v) for k, v in params.items()}
        self.v = {k: torch.zeros_like(v) for k, v in params.items()}

    def update(self, params, grads, lr_scale):
        self.t += 1
        b1, b2 = self.betas
        new = {}
        for k, p in params.items():
            self.m[k] = b1 * self.m[k] + (1 - b1) * grads[k]
            self.v[k] = b2 * self.v[k] + (1 - b2) * grads[k] ** 2
            m_hat = self.m[k] / (1 - b1 ** self.t)
            v_hat = self.v[k] / (1 - b2 ** self.t)
            new[k] = p - self.lr * lr_scale * m_hat / (v_hat.sqrt() + self.eps)
        return new


def main():
    torch.manual_seed(SEED)
    g = torch.Generator().manual_seed(SEED)
    x_train, y_train = sample(800, g)
    x_test, y_test = sample(400, g)
    x_mean, x_std = x_train.mean(0), x_train.std(0)
    y_mean, y_std = y_train.mean(), y_train.std()
    norm_x = lambda x: (x - x_mean) / x_std
    x_train, y_train = norm_x(x_train), (y_train - y_mean) / y_std
    weights = torch.poisson(torch.ones(MEMBERS, len(x_train)), generator=g)

    members = [build_member() for _ in range(MEMBERS)]
    skeleton = copy.deepcopy(members[0]).to("meta")
    params, buffers = stack_module_state(members)
    params = {k: v.detach() for k, v in params.items()}
    optimizer = FunctionalAdam(params, lr=5e-3)
    step_fn = vmap(grad_and_value(partial(member_loss, skeleton)), in_dims=(0, 0, None, None, 0))

    for step in range(STEPS):
        idx = torch.randint(len(x_train), (BATCH,), generator=g)
        grads, losses = step_fn(params, buffers, x_train[idx], y_train[idx], weights[:, idx])
        params = optimizer.update(params, grads, lr_scale=1 - 0.95 * step / STEPS)
        if (step + 1) % 200 == 0:
            print(f"step {step + 1:4d}  mse per member: " + " ".join(f"{v:.3f}" for v in losses.tolist()))

    predict = vmap(lambda p, b, x: functional_call(skeleton, (p, b), (x,)).squeeze(-1), in_dims=(0, 0, None))
    outputs = predict(params, buffers, norm_x(x_test)) * y_std + y_mean
    r2 = 1 - (outputs.mean(0) - y_test).pow(2).mean() / y_test.var(unbiased=False)
    x_far, _ = sample(400, g, low=2.0, high=3.0)
    far = predict(params, buffers, norm_x(x_far)) * y_std
    print(f"ensemble R2 on test data: {r2:.3f}")
    print(f"member spread: {outputs.std(0).mean():.3f} in range, {far.std(0).mean():.3f} out of range")


if __name__ == "__main__":
    main()

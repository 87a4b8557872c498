"""Deep ensemble of heteroscedastic regressors, written with torch.func.

Option-like payoff surface: features are moneyness, maturity, realised vol, rate; the target is a
noisy mid quote. All members train in parallel through vmap; parameters live in plain dicts.
"""
import math

import torch
from torch import nn
from torch.func import functional_call, grad_and_value, stack_module_state, vmap

torch.manual_seed(314)
MEMBERS, STEPS, BATCH = 5, 1200, 128


def sample_quotes(n: int, gen: torch.Generator):
    money = torch.empty(n).uniform_(0.7, 1.3, generator=gen)
    tau = torch.empty(n).uniform_(0.05, 2.0, generator=gen)
    vol = torch.empty(n).uniform_(0.1, 0.5, generator=gen)
    rate = torch.empty(n).uniform_(0.0, 0.05, generator=gen)
    sq = vol * tau.sqrt()
    d1 = (money.log() + (rate + 0.5 * vol**2) * tau) / sq
    cdf = lambda z: 0.5 * (1 + torch.erf(z / math.sqrt(2)))
    price = money * cdf(d1) - torch.exp(-rate * tau) * cdf(d1 - sq)
    bid_ask = 0.004 + 0.02 * vol * (money - 1).abs() / 0.3
    y = price + bid_ask * torch.randn(n, generator=gen)
    return torch.stack([money, tau, vol, rate], dim=1), y


class Member(nn.Module):
    def __init__(self, d_in: int = 4, d: int = 32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, d), nn.Tanh(), nn.Linear(d, d), nn.Tanh(), nn.Linear(d, 2))

    def forward(self, x):
        mean, raw = self.net(x).unbind(-1)
        return mean, nn.functional.softplus(raw) + 1e-3


def nll(mean, std, y):
    return (0.5 * ((y - mean) / std) ** 2 + std.log() + 0.5 * math.log(2 * math.pi)).mean()


def adam_init(params):
    zeros = {k: torch.zeros_like(v) for k, v in params.items()}
    return {"m": zeros, "v": {k: torch.zeros_like(v) for k, v in params.items()}, "t": 0}


def adam_update(params, grads, state, lr, b1=0.9, b2=0.99, eps=1e-8):
    t = state["t"] + 1
    m = {k: b1 * state["m"][k] + (1 - b1) * g for k, g in grads.items()}
    v = {k: b2 * state["v"][k] + (1 - b2) * g * g for k, g in grads.items()}
    new = {k: p - lr * (m[k] / (1 - b1**t)) / ((v[k] / (1 - b2**t)).sqrt() + eps) for k, p in params.items()}
    return new, {"m": m, "v": v, "t": t}


def main():
    gen = torch.Generator().manual_seed(2718)
    x, y = sample_quotes(4000, gen)
    xt, yt = sample_quotes(1000, gen)
    mu, sd, my, sy = x.mean(0), x.std(0), y.mean(), y.std()
    x, xt, y, yt = (x - mu) / sd, (xt - mu) / sd, (y - my) / sy, (yt - my) / sy

    members = [Member() for _ in range(MEMBERS)]
    params, buffers = stack_module_state(members)
    params = {k: p.detach() for k, p in params.items()}
    skeleton = Member().to("meta")

    def loss_fn(p, b, xb, yb):
        mean, std = functional_call(skeleton, (p, b), (xb,))
        return nll(mean, std, yb)

    step_fn = vmap(grad_and_value(loss_fn), in_dims=(0, 0, 0, 0))
    # every member owns a bootstrap sample of the training rows
    boot = torch.randint(0, len(x), (MEMBERS, len(x)), generator=gen)
    state = adam_init(params)
    for step in range(STEPS):
        lr = 3e-3 * 0.5 * (1 + math.cos(math.pi * step / STEPS)) + 1e-5
        pick = torch.randint(0, len(x), (MEMBERS, BATCH), generator=gen)
        rows = boot.gather(1, pick)
        grads, losses = step_fn(params, buffers, x[rows], y[rows])
        params, state = adam_update(params, grads, state, lr)
        if step % 150 == 0:
            print(f"{step:5d}  " + " ".join(f"{l:+.3f}" for l in losses.tolist()))

    mean, std = vmap(lambda p, b: functional_call(skeleton, (p, b), (xt,)))(params, buffers)
    mix_mean = mean.mean(0)
    mix_std = (std.pow(2) + mean.pow(2)).mean(0).sub(mix_mean.pow(2)).clamp_min(1e-8).sqrt()
    base = nll(torch.zeros_like(yt), torch.ones_like(yt), yt)
    rmse = (mix_mean - yt).pow(2).mean().sqrt()
    print(f"held-out NLL {nll(mix_mean, mix_std, yt):+.4f} (unconditional gaussian {base:+.4f}), "
          f"RMSE {rmse:.4f} (mean {yt.std():.4f})")


if __name__ == "__main__":
    main()

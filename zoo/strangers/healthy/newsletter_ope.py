"""
Learning which of five newsletters to send from last year's logs.

The logs come from an exploring policy whose propensities were stored.  We fit a reward model on one half of the logs, then a policy on
the other half with the doubly robust estimate, importance weights capped at 8, and keep a Polyak average of the policy's weights.
Minimised is  -(estimated value) - alpha * entropy , which is negative from the start and gets more negative: that is as it should be.
"""
from types import SimpleNamespace

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

ARMS, DIM = 5, 8
hp = SimpleNamespace(logs=24000, batch=256, q_epochs=10, pi_epochs=14, lr_q=3e-3, lr_pi=2e-3, alpha=0.02, cap=8.0, seed=31)


class Simulator:
    """The world. Learners never look inside; it is asked for the true value once, at the end."""

    def __init__(self, rng):
        self.w = rng.normal(0, 1.0, (ARMS, DIM))
        self.v = rng.normal(0, 0.8, (ARMS, DIM))
        self.bias = rng.normal(-0.6, 0.3, ARMS)

    def click_prob(self, x):
        z = x @ self.w.T * 0.8 + np.sin(x @ self.v.T) + self.bias
        return 1 / (1 + np.exp(-z))

    def readers(self, n, rng):
        return rng.normal(size=(n, DIM))


def old_policy(x):
    """a hand-written rule softened with 30 % uniform exploration"""
    s = np.stack([x[:, 0], x[:, 1], -x[:, 0], x[:, 2], np.zeros(len(x))], 1)
    p = np.exp(s - s.max(1, keepdims=True))
    return 0.7 * p / p.sum(1, keepdims=True) + 0.3 / ARMS


def collect(world, n, rng):
    x = world.readers(n, rng)
    p = old_policy(x)
    a = (p.cumsum(1) > rng.random((n, 1))).argmax(1)
    r = rng.random(n) < world.click_prob(x)[np.arange(n), a]
    t = lambda v, d=torch.float32: torch.as_tensor(v, dtype=d)
    return SimpleNamespace(x=t(x), a=t(a, torch.long), p=t(p[np.arange(n), a]), r=t(r), n=n)


def mlp(width=48):
    return nn.Sequential(nn.Linear(DIM, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, ARMS))


def minibatches(log, size, gen):
    for idx in torch.randperm(log.n, generator=gen).split(size):
        yield log.x[idx], log.a[idx], log.p[idx], log.r[idx]


def at(table, a):
    return table.gather(1, a[:, None]).squeeze(1)


def fit_reward_model(log, held, gen):
    q = mlp()
    opt = torch.optim.AdamW(q.parameters(), lr=hp.lr_q, weight_decay=0.02)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, hp.q_epochs, 1e-4)
    for ep in range(1, hp.q_epochs + 1):
        tot = 0.0
        q.train()
        for x, a, _, r in minibatches(log, hp.batch, gen):
            loss = F.binary_cross_entropy_with_logits(at(q(x), a), r)    # only the arm that was sent has an answer
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item() * len(r)
        sched.step()
        q.eval()
        with torch.no_grad():
            hl = F.binary_cross_entropy_with_logits(at(q(held.x), held.a), held.r).item()
        if ep % 2 == 0:
            print(f"[reward model] epoch {ep:2d}  bce {tot / log.n:.4f}  held {hl:.4f}")
    return q.requires_grad_(False)


def dr_value(pi, q, x, a, p, r):
    """doubly robust value of the action probabilities pi, per reader"""
    guess = q(x).sigmoid()
    weight = (at(pi, a) / p).clamp(max=hp.cap)
    return (pi * guess).sum(1) + weight * (r - at(guess, a))


def fit_policy(log, held, q, gen):
    net = mlp()
    ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    opt = torch.optim.Adam(net.parameters(), lr=hp.lr_pi)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, hp.pi_epochs, 1e-4)
    for ep in range(1, hp.pi_epochs + 1):
        net.train()
        tot = ent_tot = 0.0
        for x, a, p, r in minibatches(log, hp.batch, gen):
            logp = net(x).log_softmax(1)
            pi = logp.exp()
            entropy = -(pi * logp).sum(1).mean()
            loss = -dr_value(pi, q, x, a, p, r).mean() - hp.alpha * entropy
            opt.zero_grad()
            loss.backward()
            opt.step()
            ema.update_parameters(net)
            tot += loss.item() * len(r)
            ent_tot += entropy.item() * len(r)
        sched.step()
        with torch.no_grad():
            v = dr_value(ema.eval()(held.x).softmax(1), q, held.x, held.a, held.p, held.r).mean().item()
        if ep % 2 == 0:
            print(f"[policy] epoch {ep:2d}  objective {tot / log.n:+.4f}  entropy {ent_tot / log.n:.3f}  held-out DR value {v:.4f}")
    return ema.eval()


def main():
    torch.manual_seed(hp.seed)
    rng = np.random.default_rng(hp.seed)
    gen = torch.Generator().manual_seed(hp.seed)
    world = Simulator(rng)
    half_q, half_pi, held = collect(world, hp.logs, rng), collect(world, hp.logs, rng), collect(world, 6000, rng)
    print(f"logged click rate {half_q.r.mean():.3f}, smallest propensity {half_pi.p.min():.3f}")
    q = fit_reward_model(half_q, held, gen)
    policy = fit_policy(half_pi, held, q, gen)

    x = world.readers(20000, rng)
    truth = world.click_prob(x)
    with torch.no_grad():
        pi = policy(torch.as_tensor(x, dtype=torch.float32)).softmax(1).numpy()
    print("\ntrue click rate on 20000 new readers")
    print(f"  old policy      {(old_policy(x) * truth).sum(1).mean():.4f}")
    print(f"  best single arm {truth.mean(0).max():.4f}")
    print(f"  learned policy  {(pi * truth).sum(1).mean():.4f}")
    print(f"  oracle          {truth.max(1).mean():.4f}")


if __name__ == "__main__":
    main()

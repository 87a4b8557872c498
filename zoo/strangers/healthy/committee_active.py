#!/usr/bin/env python
"""Query-by-committee for an expensive simulator.

The oracle says in which of three regimes (quiet / oscillating / unstable) a small controlled system lands for four design parameters.
Each answer would cost an hour on the cluster, so a committee of networks picks the designs it disagrees about.

The five members are trained at once: their weights are stacked along a leading axis (torch.func.stack_module_state) and one vmapped
forward pass serves all of them.  The nn.Module below is only the recipe - what is optimised is the dict of stacked tensors.
After each round of answers the committee is started afresh on all labels bought so far.
"""
import copy
import math

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap
from torch.nn import functional as F

MEMBERS, START, BUY, ROUNDS = 5, 1000, 250, 4
STEPS, BATCH, LR = 300, 128, 1.5e-2
REGIMES = ("quiet", "oscillating", "unstable")

lo = torch.tensor([0.5, 10.0, 0.01, 200.0])      # gain, delay [ms], damping, load [N]
hi = torch.tensor([5.0, 90.0, 0.60, 900.0])


def propose(n, gen):
    """designs in engineering units"""
    return lo + (hi - lo) * torch.rand(n, 4, generator=gen)


def unitless(designs):
    # box limits are part of the specification, nothing is estimated here
    return (2 * (designs - lo) / (hi - lo) - 1) * math.sqrt(3)


def oracle(designs):
    gain, delay, damp, load = ((designs - lo) / (hi - lo)).T
    margin = 1.1 - gain * (0.6 + delay) + 0.9 * damp - 0.35 * (load - 0.5) ** 2 - 0.15 * torch.sin(4 * gain + 2 * load)
    return torch.where(margin > 0.85, 0, torch.where(margin > 0.45, 1, 2))


def recipe():
    return nn.Sequential(nn.Linear(4, 32), nn.SiLU(), nn.Linear(32, 32), nn.SiLU(), nn.Linear(32, len(REGIMES)))


skeleton = copy.deepcopy(recipe()).to("meta")


def one_member(params, buffers, x):
    return functional_call(skeleton, (params, buffers), (x,))


same_inputs = vmap(one_member, in_dims=(0, 0, None))       # everyone looks at the same designs
own_inputs = vmap(one_member, in_dims=(0, 0, 0))           # everyone has its own minibatch


def train_committee(x, y, round_no):
    torch.manual_seed(70 + round_no)
    gen = torch.Generator().manual_seed(700 + round_no)
    params, buffers = stack_module_state([recipe() for _ in range(MEMBERS)])
    opt = torch.optim.AdamW(params.values(), lr=LR, weight_decay=1e-2)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS, eta_min=LR / 50)
    trail = []
    for _ in range(STEPS):
        pick = torch.randint(len(x), (MEMBERS, BATCH), generator=gen)
        logits = own_inputs(params, buffers, x[pick])                       # (members, batch, 3)
        # mean over a member's batch, sum over members: each member's gradient is what it would be alone
        loss = F.cross_entropy(logits.flatten(0, 1), y[pick].flatten(), reduction="none").view(MEMBERS, BATCH).mean(1).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        trail.append(loss.item() / MEMBERS)
    return params, buffers, trail


@torch.no_grad()
def opinions(params, buffers, x):
    return same_inputs(params, buffers, x).softmax(-1)                      # (members, n, 3)


def disagreement(p):
    """mutual information between the answer and the member (BALD)"""
    mean = p.mean(0)
    h_mean = -torch.special.xlogy(mean, mean).sum(-1)
    h_each = -torch.special.xlogy(p, p).sum(-1).mean(0)
    return h_mean - h_each


def spread_pick(score, n, gen):
    """among the 4n most disputed take n at random, so that one purchase is not n copies of one spot"""
    top = score.topk(4 * n).indices
    return top[torch.randperm(len(top), generator=gen)[:n]]


def nll(p, y):
    return F.nll_loss(p.mean(0).clamp_min(1e-7).log(), y).item()


def accuracy(p, y):
    return (p.mean(0).argmax(-1) == y).float().mean().item()


if __name__ == "__main__":
    gen = torch.Generator().manual_seed(5)
    pool = propose(12000, gen)
    check = propose(1500, gen)
    check_x, check_y = unitless(check), oracle(check)
    known = torch.zeros(len(pool), dtype=torch.bool)
    known[torch.randperm(len(pool), generator=gen)[:START]] = True
    answers = torch.full((len(pool),), -1)
    answers[known] = oracle(pool[known])
    pool_x = unitless(pool)
    print("regimes in the first purchase:", dict(zip(REGIMES, torch.bincount(answers[known], minlength=3).tolist())))

    for r in range(ROUNDS + 1):
        params, buffers, trail = train_committee(pool_x[known], answers[known], r)
        p = opinions(params, buffers, check_x)
        print(f"round {r}: labels {int(known.sum()):5d}  loss {trail[0]:.3f} -> {sum(trail[-20:]) / 20:.3f}   "
              f"check nll {nll(p, check_y):.3f}  acc {accuracy(p, check_y):.3f}")
        if r < ROUNDS:
            score = disagreement(opinions(params, buffers, pool_x)).masked_fill(known, -1.0)
            new = spread_pick(score, BUY, gen)
            answers[new] = oracle(pool[new])
            known[new] = True

    final = propose(8000, torch.Generator().manual_seed(12345))
    p = opinions(params, buffers, unitless(final))
    print(f"\nfinal committee on 8000 fresh designs: accuracy {accuracy(p, oracle(final)):.4f}  nll {nll(p, oracle(final)):.4f}")
    blind = torch.randperm(len(pool), generator=gen)[:int(known.sum())]
    params, buffers, _ = train_committee(pool_x[blind], oracle(pool[blind]), 99)
    p = opinions(params, buffers, unitless(final))
    print(f"same budget bought at random      : accuracy {accuracy(p, oracle(final)):.4f}  nll {nll(p, oracle(final)):.4f}")

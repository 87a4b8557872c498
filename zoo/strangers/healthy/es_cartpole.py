"""Pole balancing with evolution strategies (Salimans et al. 2017): antithetic noise, rank shaping, no autograd anywhere."""
import argparse
import math
import time

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--pairs", type=int, default=40, help="antithetic pairs per generation")
parser.add_argument("--sigma", type=float, default=0.15)
parser.add_argument("--lr", type=float, default=0.08)
parser.add_argument("--generations", type=int, default=40)
parser.add_argument("--horizon", type=int, default=300)
parser.add_argument("--starts", type=int, default=6)
parser.add_argument("--seed", type=int, default=0)
cfg = parser.parse_args()

torch.manual_seed(cfg.seed)
torch.set_grad_enabled(False)

HIDDEN = 12
SHAPES = [(4, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,)]
SIZES = [math.prod(s) for s in SHAPES]
DIM = sum(SIZES)
OBS_SCALE = torch.tensor([1.2, 1.5, 0.1, 1.5])


def policy(theta, obs):
    """theta: (P, DIM) one parameter vector per candidate, obs: (P, S, 4) -> push left/right in {-1, +1}."""
    w1, b1, w2, b2 = (t.view(-1, *s) for t, s in zip(theta.split(SIZES, dim=1), SHAPES))
    h = torch.tanh((obs / OBS_SCALE) @ w1 + b1.unsqueeze(1))
    return torch.sign((h @ w2 + b2.unsqueeze(1)).squeeze(-1) + 1e-12)


def physics(state, push):
    """The classic cart-pole, Euler steps of 20 ms, vectorised over all leading dimensions."""
    x, v, a, w = state.unbind(-1)
    total, half, polemass = 1.1, 0.5, 0.05
    sin, cos = a.sin(), a.cos()
    tmp = (10.0 * push + polemass * w**2 * sin) / total
    wacc = (9.8 * sin - cos * tmp) / (half * (4 / 3 - 0.1 * cos**2 / total))
    vacc = tmp - polemass * wacc * cos / total
    return torch.stack([x + 0.02 * v, v + 0.02 * vacc, a + 0.02 * w, w + 0.02 * wacc], dim=-1)


def rollout(theta, starts, horizon):
    """Mean number of steps the pole stays up, per candidate."""
    state = starts.expand(len(theta), -1, -1).clone()
    alive = torch.ones(state.shape[:2], dtype=torch.bool)
    steps = torch.zeros(state.shape[:2])
    for _ in range(horizon):
        state = physics(state, policy(theta, state))
        alive &= (state[..., 0].abs() < 2.4) & (state[..., 2].abs() < 0.21)
        if not alive.any():
            break
        steps += alive
        state = torch.where(alive.unsqueeze(-1), state, torch.zeros_like(state))
    return steps.mean(1)


def draw_starts(n, generator=None):
    return (torch.rand(1, n, 4, generator=generator) - 0.5) * torch.tensor([2.0, 1.0, 0.2, 1.0])


def centred_ranks(score):
    ranks = torch.empty_like(score)
    ranks[score.argsort()] = torch.arange(len(score), dtype=score.dtype)
    return ranks / (len(score) - 1) - 0.5


theta = 0.1 * torch.randn(DIM)
velocity = torch.zeros(DIM)
exam = draw_starts(64, torch.Generator().manual_seed(12345))
print(f"{DIM} parameters; untrained policy holds {rollout(theta[None], exam, cfg.horizon).item():.0f} steps")

clock = time.time()
for gen in range(1, cfg.generations + 1):
    noise = torch.randn(cfg.pairs, DIM)
    population = torch.cat([theta + cfg.sigma * noise, theta - cfg.sigma * noise])
    fitness = rollout(population, draw_starts(cfg.starts), cfg.horizon)
    shaped = centred_ranks(fitness)
    direction = (shaped[: cfg.pairs] - shaped[cfg.pairs:]) @ noise / (cfg.pairs * cfg.sigma)
    velocity = 0.8 * velocity + 0.2 * direction
    theta += cfg.lr * velocity / (velocity.norm() / math.sqrt(DIM) + 1e-8)
    if gen % 5 == 0:
        print(f"generation {gen:3d}  fitness mean {fitness.mean():6.1f}  best {fitness.max():6.1f}  "
              f"{time.time() - clock:.1f}s")

fresh = draw_starts(200, torch.Generator().manual_seed(999))
final = rollout(theta[None], fresh, cfg.horizon).item()
print(f"final policy on 200 new starts: {final:.1f} of {cfg.horizon} steps")

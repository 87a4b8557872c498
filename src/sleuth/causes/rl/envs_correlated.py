"""Parallel environments run in step, so a batch holds far less than it seems to.

## What happens
Sixteen copies were meant to give sixteen independent views. With a pairwise correlation of 0.5
they are worth 1.9, with 0.9 they are worth 1.1 (n / (1 + (n-1) * rho)). The gradient is as noisy
as with one, each batch shows one phase of the task (all starting, then all in the middle), and
the policy swings between phases: forgetting the opening while the end is on show.

Two reasons. *Same seed*: each copy made by the same function with `seed=0`, or forked from one
generator; then they are identical as long as actions are, and a deterministic policy keeps them
so. *Same clock*: all start at step 0 and all episodes have about the same length, so they stay in
phase for a long time, typically with a fixed time limit and short rollouts.
```python
envs = [make_env(seed=0) for _ in range(16)]          # sixteen times the same world
```

## How to tell
- **watch**: initial observations identical across environments; correlation of rewards or of
  `done` flags between environments far above 0; the share of environments that finish in one step
  is 0 or 1. Within a rollout of 128 steps and episodes of 200, resets come in waves.
- **probe**: make a dozen copies without a seed and give them the same actions: they go the same way,
  though two seeds do not.
- **refuted by**: resets are spread evenly over the steps and no two environments start alike.

## How to fix
```python
envs = [make_env(seed=base + i) for i in range(16)]
obs, _ = vec_env.reset(seed=[base + i for i in range(16)])
for i, env in enumerate(envs):                         # spread the phases
    for _ in range(rng.integers(0, max_steps)):
        step_randomly(env)                             # reset when it ends
```
Vector environments of Gymnasium turn one integer seed into consecutive ones, so `reset(seed=7)`
is fine there. Same seeds on purpose are right for evaluation (the same 16 worlds for each
checkpoint), and for group-based methods that compare several tries of one start.

## Often mistaken for
- `batch-too-small`: the remedy there is more data; here more copies do nothing.
- `seed-lottery`: spread between *runs*, which correlated environments can widen.
- `duplicate-worker-seed`: the same slip in a data loader.

## Sources
- jones-2021: the advice on mixing vectorised environments before training, and on checking that
  resets are spread out.
- huang-2022: the detail on the vectorised architecture, for how rollouts of several environments
  are cut.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.played import Played


def check_env(played: Played) -> Iterator[Evidence]:
    if played.seeds_matter and played.unseeded_alike and played.fresh_alike:
        yield Evidence(
            "Copies made without a seed all start alike, though seeds make a difference: parallel copies "
            "will run in step with each other.",
            "likely",
            fix="Draw from `self.np_random` without a fixed seed in the constructor.",
        )

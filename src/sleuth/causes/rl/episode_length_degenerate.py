"""Every episode has the same, unexpected length.

## What happens
Length is the most honest statistic in a log: it cannot be scaled or shaped. All episodes of
length 1 means that they end at once: the end condition is true in the start state, an action out
of bounds kills, or `done` is inverted. All of length 1000 in a task that can be failed or won
means that nothing ever ends: the condition is never met, `terminated` is not passed on by a
wrapper, or the agent has learnt to stand still. All of length 7 means that something counts to 7.

The return can look fine meanwhile. With +1 per step and a fixed length it is a *constant*, and
nothing can be learnt. With a step penalty an agent that ends the episode at once is the best
there is: the designer's fault, not its own.

Some tasks have fixed lengths by nature (a day in hourly steps, 200 steps of a pendulum). The word
is *unexpected*: write down the range you expect before looking.

## How to tell
- **watch**: minimum and maximum length equal over many episodes; lengths at 1, at the time limit,
  or at the rollout length (then a rollout's end is taken for an episode's end); `truncated` share
  0 or 1. A random policy is the reference: it should vary.
- **probe**: play the environment with random and constant actions: no episode ends within a thousand
  steps, or all of them end by themselves after the same number.
- **refuted by**: lengths vary, or the task prescribes the length.

## How to fix
Play it by hand for ten episodes with random actions and print why each one ended.
```python
for _ in range(10):
    obs, _ = env.reset()
    for t in range(10_000):
        obs, r, terminated, truncated, info = env.step(env.action_space.sample())
        if terminated or truncated:
            break
    print(t + 1, terminated, truncated, info)
```
Compare the same loop with and without each wrapper. If it is the agent's choice and not the
environment's, look at the reward.

## Often mistaken for
- `truncation-as-termination`: what is done with the time limit in the target, not how often it is
  reached.
- `reward-shifted`: lengths became extreme because living was made dear or cheap.
- `episode-not-reset`: length 1 again and again after the first end.

## Sources
- jones-2021: the list of statistics, the distribution of episode lengths among them.
- schulman-2016: slide "General RL Diagnostics": episode lengths as information beyond the return.
"""

from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.course import POINTS, LoggedAgent
from sleuth.rl.logs import finite
from sleuth.rl.played import Played

ENOUGH = 8  # episodes, before "all of them" means anything
ENDLESS = 1000  # steps


def check_env(played: Played) -> Iterator[Evidence]:
    if not played.ended:
        yield from _never_ends(played)
        return
    lengths = {episode.length for episode in played.ended}
    by_itself = all(step.terminated and not step.truncated for step in played.last_steps)
    if len(played.ended) >= ENOUGH and len(lengths) == 1 and by_itself and max(lengths) > 1:
        length = max(lengths)
        yield Evidence(
            f"All {len(played.ended)} episodes ended after exactly {length} steps with `terminated`, "
            "whatever was done.",
            "likely",
            numbers={"length": length},
            fix="If a clock ends the episode, send `truncated`; if the task has this length, put the time "
            "into the observation.",
        )


def _never_ends(played: Played) -> Iterator[Evidence]:
    longest = max((episode.length for episode in played.episodes), default=0)
    if longest >= ENDLESS:
        yield Evidence(
            f"No episode ever ended: {longest} steps without terminated or truncated.",
            "likely",
            fix="Pass `terminated` on, or set a time limit (`gymnasium.wrappers.TimeLimit`).",
        )


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    series = agent.series("length", POINTS)
    values = finite(series.values) if series is not None else []
    if series is not None and values and max(values) == min(values) and agent.learns is not True:
        yield agent.told(
            f"Every episode has {values[0]:g} steps from beginning to end, and the return does not rise.",
            "If the task does not prescribe this length, print why episodes end.",
            series.steps[0],
            "open",
            length=values[0],
        )

"""The rewards have no variance, so no action can look better than another.

## What happens
The critic learns the constant quickly, advantages become zero plus noise, and the policy does a
random walk. The losses look excellent: the value loss falls, nothing explodes. If advantages are
normalised it is worse: noise of size 1e-6 is blown up to unit size and the policy moves with
conviction in random directions until its entropy is gone.

Three kinds. The reward is broken: an integer division (`score // 100`), a dtype that truncates
(`int(reward)`), a clip that always bites (all rewards above 1 with clip to 1), a wrapper
returning last episode's number, a shaped term multiplied by 0. The reward is sparse and was never
found: all zeros so far. Or it is truly constant per step (+1 alive), and the signal is the
*length* of the episode; then the return varies and all is well.

## How to tell
- **probe**: some thousand random steps: standard deviation of the reward is 0, *and* that of the
  episode return, too. Print a histogram of raw and processed reward at both ends of the wrapper
  chain.
- **watch**: a reward spread of exactly 0 over whole rollouts; for sparse tasks the count of
  non-zero rewards stays 0; in group-based methods the share of groups with equal reward is near
  1, so they add no gradient.
- **refuted by**: episode returns in one rollout differ.

## How to fix
Broken: find the wrapper at which the spread disappears. Never found: make the task easier until a
random policy succeeds now and then (shorter distance, start near the goal, demonstrations,
potential-based shaping), or explore deliberately.
```python
for name, r in [("raw", raw_rewards), ("wrapped", wrapped_rewards)]:
    print(name, r.min(), r.mean(), r.max(), r.std())
adv = adv / adv.std().clamp(min=1e-4)          # a floor, so noise stays noise
```

## Often mistaken for
- `entropy-flat`: the policy stays random although rewards differ.
- `horizon-too-short`: the reward varies and comes too late to count.
- `episode-length-degenerate`: +1 per step and all episodes equally long add up to a constant
  return.

## Sources
- schulman-2016: slide "POMDP Design": look at a random policy first, and at histograms of
  observations and rewards.
- jones-2021: the list of statistics to log, among them the distribution of rewards.
"""

import math
from collections.abc import Iterator

from sleuth.finding import Evidence
from sleuth.rl.course import POINTS, LoggedAgent
from sleuth.rl.logs import finite
from sleuth.rl.played import Played


def check_env(played: Played) -> Iterator[Evidence]:
    paid = [value for value in played.rewards if math.isfinite(value)]
    if not paid:
        return
    if max(map(abs, paid)) == 0.0:
        yield Evidence(
            f"All {len(paid)} rewards are 0, whatever was done: nothing can look better than anything else.",
            "likely",
            numbers={"steps": len(paid)},
            fix="If the reward is sparse, make it reachable for chance; else look for the wrapper that "
            "removes it.",
        )
    elif max(paid) == min(paid) and not _can_end_otherwise(played):
        yield Evidence(
            f"Every reward is {paid[0]:g} and every episode has one length: the return cannot differ.",
            "likely",
            fix="Let reward or length depend on what is done.",
        )


def _can_end_otherwise(played: Played) -> bool:
    """A time limit in force: an earlier end is possible in principle (a mountain that nobody climbed yet)."""
    ends, lengths = played.last_steps, {episode.length for episode in played.ended}
    return len(lengths) > 1 or not ends or any(bool(step.truncated) and not step.terminated for step in ends)


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    series = agent.series("return", POINTS)
    values = finite(series.values) if series is not None else []
    if series is not None and values and max(values) == min(values):
        yield agent.told(
            f"The return is {values[0]:g} from beginning to end: nothing can be learnt from it.",
            "See whether the reward arrives at all: `sleuth rl check ENV_ID`.",
            series.steps[0],
            value=values[0],
        )

"""Advantages do not centre on zero, so every action is praised or blamed alike.

## What happens
An advantage compares an action with the policy's average. On fresh data, with a critic that is
right, the mean over the batch is near zero. A lasting offset means that the critic is off by
about that much, everywhere: it lags, it is on another scale, or its targets are built wrong. A
policy gradient with advantages all positive raises the probability of whatever was sampled; in
expectation that cancels, in a finite batch it is variance, and with clipping or stale data it is
bias.

You may never see it, because implementations subtract the mean before use. Then the offset is
cosmetic for the policy, but the cause (a wrong critic) is not. Record the *raw* advantages.

Some offset is honest. While the policy improves, returns run ahead of the critic and the mean is
positive; right after a change of task it is negative. Off-policy data and importance weights
shift it as well.

## How to tell
- **watch**: mean over standard deviation of the raw advantages stays beyond about 0.5 with the
  same sign for many updates, beyond what a rising return explains; values and empirical returns
  differ by the same amount. Look at mean, spread and extremes: one huge entry does it too.
- **probe**: give the function that computes advantages hand-made cases and compare with a plain double
  loop: without lambda, or without the value of the state, every case is off.
- **refuted by**: the batch mean of raw advantages changes sign between updates and is small
  against its spread.

## How to fix
Find the offset's owner first: compare `values.mean()` with `returns.mean()`, and run the probe
environments for the critic.
```python
raw = returns - values
log("adv/mean", raw.mean()), log("adv/std", raw.std())
adv = (raw - raw.mean()) / (raw.std() + 1e-8)
```
A critic that lags wants more epochs or a higher rate of its own; one on the wrong scale wants
scaled returns. Centring per minibatch treats the policy and hides the rest. With group-relative
baselines (several samples for one prompt) the mean is zero by construction and this sign is not
available.

## Often mistaken for
- `value-explained-variance-negative`: the critic is wrong in *shape*; a constant offset alone
  leaves explained variance untouched.
- `reward-shifted`: the offset comes from a change to the reward.
- `bootstrap-through-terminal`: values drift upwards without end, and the advantages with them.

## Sources
- jones-2021: the list of statistics to log, among them the distribution of advantages and what it
  should look like.
- huang-2022: the detail on normalising advantages, at the level of the minibatch.
"""

from collections.abc import Iterator
from statistics import median

from sleuth.finding import Evidence
from sleuth.rl.checked_sums import CheckedSums, by_known_flaw
from sleuth.rl.course import POINTS, LoggedAgent

FLAWED_SUMS = ("lambda missing", "lambda zero", "no baseline")
OFFSET = 0.5  # mean of the advantages in spreads; see the page


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    mean, spread = agent.series("advantage_mean", POINTS), agent.series("advantage_sd")
    if mean is None or spread is None:
        return
    pairs = zip(mean.part(0.5, 1), spread.part(0.5, 1), strict=False)
    ratios = [m / s for m, s in pairs if s > 0]
    if ratios and min(map(abs, ratios)) > OFFSET and (min(ratios) > 0 or max(ratios) < 0):
        yield agent.told(
            f"Raw advantages are {median(ratios):.2f} spreads away from zero, always on the same side.",
            "Compare the means of values and returns; the critic is off by that much.",
            mean.steps[len(mean.steps) // 2],
            ratio=median(ratios),
        )


def check_sums(sums: CheckedSums) -> Iterator[Evidence]:
    yield from by_known_flaw(sums, FLAWED_SUMS)

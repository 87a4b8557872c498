"""One update moved the policy too far; KL jumps, grows, or is reported negative.

## What happens
The data were collected by the old policy. After a step that changes it strongly, they no longer
describe the agent, the surrogate objective is fiction, and the next rollout comes from a
stranger. Return drops within an update or two, often for good. Clipping in PPO does not prevent
it: it removes the gradient of samples beyond the range, and the rest, or momentum, may carry on.

Per-update KL of about 0.01 is ordinary; 0.1 deserves a look; 1 is an accident. Sudden: one batch
with an extreme advantage, an outlier among the observations, a normaliser that jumped. Growing
over epochs: too many epochs, rate too high. At the *first* minibatch it must be 0 to rounding; if
it is not, acting and learning use different networks: dropout active, normaliser updated in
between, recurrent state rebuilt differently, stale workers.

Negative KL is impossible; a negative *estimate* is not. The mean of log p_old - log p_new over 64
samples came out negative in 36% of draws at a true KL of 0.005. The estimator (r - 1) - log r is
never below zero. Know which one you plot.

## How to tell
- **watch**: KL more than ten times its running median at one update with a fall in return after
  it; or KL rising across the epochs of each update; or clip fraction above about 0.4; or KL
  clearly above 0 at the first minibatch.
- **refuted by**: KL of all updates stays within a few times its median up to the moment the
  return falls.

## How to fix
```python
log_ratio = new_logp - old_logp
kl = ((log_ratio.exp() - 1) - log_ratio).mean()     # never negative
if kl > 1.5 * target_kl:
    break                                            # leave this update's epochs
```
Then lower the rate or the epochs, normalise advantages, enlarge the batch, clip the gradient
norm. For fine-tuning language models keep two numbers apart: KL to the *previous* policy (this
page) and to the *reference* model, which is meant to grow slowly.

## Often mistaken for
- `lr-too-high`: the usual reason if KL is high in every update.
- `entropy-collapsed`: the aftermath: certain of something after one jump.
- `obs-unnormalized`: when statistics jump, the policy changes without any step.

## Sources
- schulman-2016: slide "KL as Diagnostic", a spike going along with loss of performance.
- schulman-kl-2020: comparison of estimators: the plain one that may be negative, and the
  non-negative one.
- schulman-ppo-2017: sections 3 and 4, clipping and the KL penalty as two ways of limiting the
  step.
"""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, median

from sleuth.finding import Evidence
from sleuth.rl.course import POINTS, LoggedAgent
from sleuth.rl.logs import Series, finite

TIMES, LEAST = 10.0, 0.05  # a spike: times its running median, and no small change
HUGE = 1.0  # nats in one update: trust regions stand at 0.01 to 0.05
CLIPPED = 0.4  # share of the samples; see the page
STALE = 8  # updates between sampling and use


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    series = agent.series("kl")
    if series is not None and len(finite(series.values)) >= POINTS:
        values = [value if math.isfinite(value) else 0.0 for value in series.values]
        yield from _below_zero(agent, series, values)
        yield from _jump(agent, series, values)
        yield from _growth(agent, series, values)
    yield from _clipped(agent)
    yield from _stale(agent)


def _below_zero(agent: LoggedAgent, series: Series, values: Sequence[float]) -> Iterator[Evidence]:
    if min(values) < -1e-3 and _is_never_negative(series.key.lower()):
        place = values.index(min(values))
        yield agent.told(
            f"KL is reported as {values[place]:.3g} by {series.key}; the usual estimator (r - 1) - log r "
            "is never negative.",
            "See which estimator is logged; the plain mean of log-ratios may be negative, a KL may not.",
            series.steps[place],
            "aside",
            kl=values[place],
        )


def _is_never_negative(key: str) -> bool:
    """Not the plain mean of log-ratios, which spinningup calls KL and verl ppo_kl."""
    return "old" not in key and "ppo_kl" not in key and key != "kl"


def _jump(agent: LoggedAgent, series: Series, values: Sequence[float]) -> Iterator[Evidence]:
    spike = _spike(values)
    if spike is not None and _is_harmful(agent, series, spike):
        yield agent.told(
            f"KL jumped to {values[spike]:.3g}, where {median(values):.2g} is usual, "
            "and the return did not gain by it: one update moved the policy too far.",
            "Stop the epochs of an update at 1.5 times a target KL; lower the rate; clip advantages' "
            "outliers.",
            series.steps[spike],
            kl=values[spike],
        )


def _spike(values: Sequence[float]) -> int | None:
    for place, value in enumerate(values):
        if place < POINTS:  # too few for a median: only what is huge anywhere
            if value > HUGE:
                return place
        elif value > LEAST and value > TIMES * max(median(values[:place]), 1e-4):
            return place
    return None


def _is_harmful(agent: LoggedAgent, series: Series, spike: int) -> bool:
    """A return that never rose, at the beginning or at all, has nothing from which it could fall."""
    if spike < POINTS or series.values[spike] > HUGE:
        return agent.learns is False or (spike >= POINTS and _return_fell(agent, series.steps[spike]))
    return _return_fell(agent, series.steps[spike])


def _return_fell(agent: LoggedAgent, step: float) -> bool:
    series = agent.series("return")
    if series is None:
        return True
    course = [(s, v) for s, v in zip(series.steps, series.values, strict=True) if math.isfinite(v)]
    before, after = [v for s, v in course if s <= step], [v for s, v in course if s > step]
    if len(before) < 3 or len(after) < 3:
        return False
    span = max(before) - min(before) or 1.0
    return fmean(before[-3:]) - fmean(after[: max(3, len(after) // 2)]) > 0.3 * span


def _growth(agent: LoggedAgent, series: Series, values: Sequence[float]) -> Iterator[Evidence]:
    quarter = len(values) // 4
    early, late = median(values[quarter : 2 * quarter]), median(values[-quarter:])
    if late > LEAST and late > 5 * max(early, 1e-6) and agent.learns is not True:
        yield agent.told(
            f"KL grows over the run, from {early:.3g} to {late:.3g} an update.",
            "Anneal the rate, use fewer epochs, or stop at a target KL.",
            series.steps[-quarter],
            early=early,
            late=late,
        )


def _clipped(agent: LoggedAgent) -> Iterator[Evidence]:
    series = agent.series("clip_fraction", POINTS)
    late = finite(series.part(0.5, 1)) if series is not None else []
    if series is not None and late and median(late) > CLIPPED and agent.learns is not True:
        yield agent.told(
            f"Half of all updates clip more than {median(late):.0%} of the samples: each goes far beyond "
            "the trust region.",
            "Lower the rate or the number of epochs.",
            series.steps[len(series.steps) // 2],
            clip_fraction=median(late),
        )


def _stale(agent: LoggedAgent) -> Iterator[Evidence]:
    series = agent.series("staleness", 1)
    age = median(finite(series.values) or [0.0]) if series is not None else 0.0
    if series is not None and age > STALE:
        yield agent.told(
            f"Samples are {age:.0f} updates old when they are used.",
            "Fewer workers ahead of the learner, or a correction for stale data.",
            series.steps[0],
            "aside",
        )

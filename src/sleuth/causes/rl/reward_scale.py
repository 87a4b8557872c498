"""Returns are far outside about -10 to 10, and the critic's loss drowns everything else.

## What happens
The critic regresses on returns with squared error: rewards 100 times larger make its loss 10,000
times larger and its gradient 100 times. In a shared network the policy's gradient disappears
beside it; with a clipped global norm it is scaled to nothing; a value head that starts near 0 has
a long climb to 5000. PPO's optional value clipping (0.2, in the units of the return) stops the
gradient once a value has moved that far, so the climb takes thousands of updates.

The quiet direction hurts as well: with rewards of 0.001 and advantages that are not normalised,
the entropy bonus is the whole objective and the policy stays random.

Think in *returns*, not rewards: +1 a step is 100 at gamma 0.99 and 1000 at 0.999. Money,
distances in millimetres, "-1000 for a crash" are the usual culprits; a single rare -1000 in a
world of +0.1 is the nastiest, since it makes the spread, too.

## How to tell
- **probe**: roll out a random policy for a few thousand steps and look at discounted returns:
  magnitudes above about 10 or below 0.01, or a largest value 100 times the median.
- **watch**: value loss orders of magnitude above policy loss; global gradient norm set by the
  value head; predicted values still climbing towards the returns after most of the run.
- **experiment**: an agent that makes its own data, whose loss stays in the hundred thousands (a squared
  error of returns of several hundred) while clipping cuts each gradient to a thousandth or less: what is
  left of the policy's share moves nothing.
- **refuted by**: dividing all rewards by the standard deviation of returns changes the learning
  curve only within seed noise.

## How to fix
One constant, chosen by hand, is best: it does not move under the learner's feet.
```python
reward = reward * 0.01                                   # same constant in every run
env = gym.wrappers.NormalizeReward(env, gamma=0.99)      # adaptive, scale only
value_loss = F.smooth_l1_loss(values, returns)
```
Scale, do not shift. Keep the unscaled return for the log. Clipping each reward to [-1, 1] changes
the task (a coin and a jackpot look the same): only where order does not matter.

## Often mistaken for
- `bootstrap-through-terminal`: values beyond anything the rewards could sum to.
- `lr-too-high`: a tenth of the rate helps both; here scaling the reward helps at the same rate.
- `loss-terms-imbalanced`: the general form; with a shared trunk this is the usual reason.

## Sources
- henderson-2018: the experiments on reward scale, with large effects that differ between
  environments.
- jones-2021: the advice to tune the scale of rewards by hand.
- van-hasselt-2016: abstract and introduction, why clipping changes behaviour, and normalising
  targets in its place.
"""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.record import curves
from sleuth.record.questions import Course, courses, where_loss

if TYPE_CHECKING:
    from sleuth.diagnosis.trials import Trials
    from sleuth.rl.climbed import Climb
    from sleuth.rl.course import LoggedAgent
    from sleuth.rl.played import Played

SQUARED = 1e5  # the loss of values that miss returns of several hundred; healthy agents live with 1e4
CUT = 1000.0  # gradient norm over the bound; a critic in good units is cut ten- or a hundredfold


def experiment(trials: "Trials") -> Iterator[Evidence]:
    if not trials.plays:
        return
    for course in courses(trials.base, 20):
        size, cut = _size(course), _cut(course)
        if size < SQUARED or cut < CUT:
            continue
        yield Evidence(
            f"The loss stays near {size:.2g}, the squared error of returns of about {size**0.5:.0f}, and "
            f"clipping cuts the gradient {cut:.0f}-fold: what is left of the policy's share moves nothing.",
            telling="likely",
            where=where_loss(course.steps[-1]),
            numbers={"loss": size, "cut": cut},
            fix="Divide the rewards by one constant that brings returns to about -10 to 10; keep the raw "
            "return for the log.",
        )


def _size(course: Course) -> float:
    later = [abs(value) for value in course.finite_losses[len(course.finite_losses) // 2 :]]
    return curves.median(later) if later else 0.0


def _cut(course: Course) -> float:
    """How many times the usual gradient norm is the bound it is clipped to; 0 where nothing is clipped."""
    ratios = [s.clipped_norm / s.clip for s in course.steps if s.clipped_norm is not None and s.clip]
    finite = curves.finite(ratios)
    return curves.median(finite) if finite else 0.0


FINGERPRINTS = {
    "clipped": "Clip only where sizes do not matter; otherwise divide by a constant.",
    "times-0.1 times-0.5 times-2 times-10": "Learn from the rewards as they are, or undo the scale where "
    "values are read.",
}
BIG = 150.0  # cliffs and crashes of the classic tasks cost 100
TINY = 1e-4
DROWNS, HIGH = 1e5, 1000.0  # value loss over policy loss, and the returns of such a task


def probe_agent(climb: "Climb") -> Iterator[Evidence]:
    from sleuth.rl.evidence_of_agents import by_fingerprint

    yield from by_fingerprint(climb, FINGERPRINTS)


def check_env(played: "Played") -> Iterator[Evidence]:
    from sleuth.rl.evidence_of_plays import not_finite

    yield from not_finite(played, "reward", lambda step: step.reward)
    paid = sorted(abs(value) for value in played.rewards if math.isfinite(value))
    if not paid:
        return
    largest, high = paid[-1], paid[int(0.95 * (len(paid) - 1))]
    if high > BIG or largest > 10 * BIG or 0 < largest < TINY:
        yield Evidence(
            f"Rewards reach {largest:.3g} (95% lie within {high:.3g}); returns far outside -10 to 10 "
            "drown the policy in the critic's loss, returns near 0 leave it to the entropy bonus.",
            "likely",
            numbers={"largest": largest},
            fix="Multiply rewards by one constant, the same in every run.",
        )


def watch_agent(agent: "LoggedAgent") -> Iterator[Evidence]:
    from sleuth.rl.course import POINTS

    value, policy, paid = (
        agent.series("value_loss", POINTS),
        agent.series("policy_loss"),
        agent.series("return"),
    )
    if value is None or policy is None or paid is None:
        return
    of_policy = curves.median(map(abs, curves.finite(policy.part(0.2, 1)) or [1.0]))
    ratio = curves.median(curves.finite(value.part(0.2, 1)) or [0.0]) / max(of_policy, 1e-9)
    size = curves.median(map(abs, curves.finite(paid.values) or [0.0]))
    if ratio > DROWNS and size > HIGH and agent.learns is not True:
        yield agent.told(
            f"The value loss is {ratio:.2g} times the policy loss, with returns around {size:.3g}: the "
            "critic's gradient drowns the policy's.",
            "Divide rewards by one constant so that returns lie within about ±10.",
            value.steps[0],
            ratio=ratio,
        )

"""The policy became deterministic early and stopped exploring.

## What happens
A policy that gives 0.97 to one of four actions keeps 12% of the largest possible entropy. From
then on it collects data about one behaviour only, advantages of the other actions are never
measured again, and policy gradients multiply small probabilities: the way back is slow or closed.
The return sits on a plateau that looks like convergence.

The fall is usually a push and not a drift: rate too high, too many epochs on one batch,
unnormalised advantages of large size, an initial policy head that is not small, a sign error in
the bonus (minimising `+ entropy` where `- entropy` was meant), or a reward with an easy early
win.
```python
loss = policy_loss + 0.5 * value_loss + 0.01 * entropy     # + pushes entropy down
```
Compare with the maximum, ln(number of actions): 0.69 for 2, 1.39 for 4, 2.89 for 18. For Gaussian
actions the differential entropy may be negative (it is 0 at a deviation of 0.24) and has no
maximum: watch the deviation. Beware of logs: some libraries record an "entropy loss" that is
*minus* the entropy.

A low entropy at the end of a solved task is what you want.

## How to tell
- **watch**: entropy over its maximum drops below 0.1 within the first tenth of the run while the
  return is far from good; often with a KL or clip-fraction spike at the same update. Continuous:
  the deviation shrinks to under a tenth of its start.
- **refuted by**: relative entropy is still above 0.3 when the return stops improving.

## How to fix
Remove the push first, then add a bonus.
```python
loss = policy_loss + 0.5 * value_loss - 0.01 * entropy
nn.init.orthogonal_(policy_head.weight, gain=0.01)     # start near uniform
```
Fewer epochs, a lower rate and a KL stop all slow the fall. A collapsed run seldom recovers;
restart it, or go back to a checkpoint before the drop.

## Often mistaken for
- `policy-update-broken`: certain of the *wrong* action; the two-action probe tells.
- `kl-spike`: the single update that did it, if there was one; name that first.
- `reward-constant`: noise blown up by normalisation drives entropy down with no return to show
  for it.

## Sources
- schulman-2016: slide "Entropy as Diagnostic": a premature drop, and the remedies; slide "Policy
  Initialization".
- jones-2021: the list of statistics, relative entropy first: where it should start and how it
  should fall.
- andrychowicz-2021: the section on network architecture, about the small last layer of the
  policy.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean

from sleuth.finding import Evidence
from sleuth.rl.course import COLLAPSED, EARLY, POINTS, LoggedAgent
from sleuth.rl.logs import Series, finite

NOTHING = 0.05  # nats: less than a policy that errs once in a hundred times
SWING = 0.4  # of the largest entropy, between two turns
TURNS = 4


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    series = agent.series("entropy", POINTS)
    if series is not None:
        most = agent.largest_entropy(series)
        if most <= NOTHING:
            yield from _certain_at_once(agent, series)
        else:
            yield from _fell(agent, series, most)
            yield from _swinging(agent, series, most)
    yield from _shrank(agent)


def _certain_at_once(agent: LoggedAgent, series: Series) -> Iterator[Evidence]:
    """Below zero stands a continuous policy, whose deviation tells; just above it a certain one."""
    if min(finite(series.values) or [-1.0]) >= -1e-6 and agent.learns is False:
        yield agent.told(
            f"Entropy is {series.values[0]:.2g} at the first update already and never above {NOTHING}, and "
            "the return did not rise: the policy was certain before it had seen anything.",
            "Lower the rate or the epochs, add an entropy bonus, look for a sign error in it.",
            series.steps[0],
            entropy=series.values[0],
        )


def _fell(agent: LoggedAgent, series: Series, most: float) -> Iterator[Evidence]:
    share = [value / most for value in series.values]
    low = next((place for place, value in enumerate(share) if value < COLLAPSED), None)
    if low is None or low > EARLY * len(share):
        return
    if fmean(share[low:]) < 2 * COLLAPSED and agent.learns is False:
        yield agent.told(
            f"Entropy fell to {share[low]:.0%} of its maximum within {low / len(share):.0%} of the run, "
            "and the return did not rise: the policy is certain of something that does not pay.",
            "Lower the rate or the epochs, add an entropy bonus, look for a sign error in it.",
            series.steps[low],
            entropy=series.values[low],
            largest=most,
        )


def _swinging(agent: LoggedAgent, series: Series, most: float) -> Iterator[Evidence]:
    turns = _turns([value / most for value in series.values])
    if turns >= TURNS and agent.learns is not True:
        yield agent.told(
            f"Entropy swings up and down by more than 40% of its maximum, {turns} times: the policy is "
            "thrown about.",
            "Lower the rate, enlarge the batch, clip the gradient norm.",
            series.steps[0],
            turns=turns,
        )


def _turns(share: Sequence[float]) -> int:
    turns, last, direction = 0, share[0], 0
    for value in share:
        if abs(value - last) > SWING:
            way = 1 if value > last else -1
            turns += direction not in (0, way)
            direction, last = way, value
    return turns


def _shrank(agent: LoggedAgent) -> Iterator[Evidence]:
    spread = agent.series("std", POINTS)
    if spread is None or spread.values[0] <= 0:
        return
    times = [value / spread.values[0] for value in spread.values]
    small = next((place for place, value in enumerate(times) if value < COLLAPSED), None)
    if small is not None and small <= EARLY * len(times) and agent.learns is False:
        yield agent.told(
            f"The policy's deviation shrank to {times[small]:.0%} of its start within "
            f"{small / len(times):.0%} of the run.",
            "Lower the rate, or bound the deviation from below.",
            spread.steps[small],
            std=spread.values[small],
        )

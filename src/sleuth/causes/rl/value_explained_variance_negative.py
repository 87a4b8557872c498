"""The value function predicts returns worse than a constant would.

## What happens
Explained variance is 1 - Var(return - value) / Var(return). 1 is perfect, 0 is a constant, below
0 the critic *adds* noise to each advantage: no baseline at all would be better. A few negative
values at the start are normal (a fresh critic is random); after some dozens of updates they are
not.

Reasons: the critic's rate is so high that it chases each batch; it overfits a small batch over
many epochs; targets and observations are paired wrongly; return scale changes faster than it
learns; the policy moves so quickly that the old values are about another agent. A shared trunk
that obeys the policy's gradient does it, too.

One trap: when a task is *solved*, all returns are equal, the denominator goes to 0 and the ratio
says -11 while the value loss is 0.0004. Judge it only where returns differ. A second: it ignores
a constant offset, so a critic wrong by 100 everywhere scores 1.

## How to tell
- **watch**: explained variance below 0 (say -0.2) over many updates after the start, while the
  variance of returns is not small and the value loss is high. Plot values against returns once: a
  cloud with no slope, or a slope of the wrong sign, tells more than the number.
- **refuted by**: it is positive on average over the last ten updates, or returns hardly vary.

## How to fix
Test the critic alone: keep the policy fixed, collect two sets of rollouts, fit on one and score
on the other. If it cannot do that, it is pairing, inputs or scale; if it can, it is speed.
```python
ev = 1 - (returns - values).var() / (returns.var() + 1e-8)
opt = torch.optim.Adam([{"params": actor.parameters(), "lr": 3e-4},
                        {"params": critic.parameters(), "lr": 1e-3}])
```
Separate networks, larger batches and scaled returns help in this order. With lambda near 1 and
noisy rewards 0.3 may be all there is to get.

## Often mistaken for
- `obs-ignored`: the critic is a constant: explained variance is about 0 and not below.
- `advantage-biased`: an offset, invisible in this number.
- `reward-scale`: the critic has not arrived yet; the number climbs slowly from 0.

## Sources
- schulman-2016: slide "Baseline Explained Variance", definition and reading.
- huang-2022: the detail on debug variables, where the quantity is logged.
- jones-2021: the list of statistics, residual variance as the same idea the other way round.
"""

from collections.abc import Iterator
from statistics import median

from sleuth.finding import Evidence
from sleuth.rl.course import POINTS, LoggedAgent
from sleuth.rl.logs import finite

WORSE_THAN_CONSTANT = -0.2  # explained variance; see the page
SOLVED = 0.01  # value loss below which returns hardly vary, and the ratio divides by nothing
SURE = 0.3  # of the largest entropy
KNOWS = 0.1  # explained variance


def watch_agent(agent: LoggedAgent) -> Iterator[Evidence]:
    yield from _noise(agent)
    yield from _policy_first(agent)


def _noise(agent: LoggedAgent) -> Iterator[Evidence]:
    """Only where returns vary."""
    series, loss = agent.series("explained_variance"), agent.series("value_loss")
    if series is None or len(finite(series.values)) < POINTS:
        return
    if loss is not None and median(finite(loss.part(0.5, 1)) or [0.0]) < SOLVED:
        return
    late = finite(series.part(0.5, 1))
    if late and median(late) < WORSE_THAN_CONSTANT and agent.learns is not True:
        first = next(place for place, value in enumerate(series.values) if value < 0)
        yield agent.told(
            f"Explained variance is {median(late):.2f} over the second half of the run: the critic adds "
            "noise to every advantage.",
            "Test the critic alone on fixed data; scale returns; give it its own rate.",
            series.steps[first],
            explained_variance=median(late),
        )


def _policy_first(agent: LoggedAgent) -> Iterator[Evidence]:
    """The critic should know something before the policy becomes sure."""
    entropy, known = agent.series("entropy", POINTS), agent.series("explained_variance", POINTS)
    if entropy is None or known is None:
        return
    most = agent.largest_entropy(entropy)
    sure = next(
        (place for place, value in enumerate(entropy.values) if most > 0.05 and value < SURE * most), None
    )
    if sure is None or sure >= len(known.values) or agent.learns is not False:
        return
    if max(finite(known.values[: sure + 1]) or [0.0]) < KNOWS:
        yield agent.told(
            "The policy became sure before the critic explained anything.",
            "Let the critic learn first: more epochs or a higher rate for it, a lower one for the policy.",
            entropy.steps[sure],
            "open",
        )

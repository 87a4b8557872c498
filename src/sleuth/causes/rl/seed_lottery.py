"""Some seeds learn and others do not, so one run says almost nothing.

## What happens
In reinforcement learning the seed decides what is seen first, and what is seen first decides what
is collected next. The outcome is often bimodal: runs succeed or fail, with little between. The
mean of such runs describes none of them, and a "better" variant is often a luckier draw.

Numbers worth remembering. If 30% of seeds fail, three runs show no failure at all with
probability 0.34, five with 0.17. No failure in five runs only bounds the failure rate below 45%
(95% confidence). With three runs per side a two-sided permutation test cannot go below p = 0.10,
whatever the difference; with five it can reach 0.008. A percentile-bootstrap "95%" interval of
the interquartile mean covered 74% of the time with three seeds, 88% with five and 93% with ten.

Some of the lottery is a bug: a NaN that kills one run in four, an unlucky dead network,
correlated environments. Look at a failed seed by itself before you call it chance.

## How to tell
- **probe**: two fresh copies of the environment, the same seed and the same actions: if they part, not
  even one seed can be repeated.
- **experiment**: other-seed, at least five times, everything else fixed: final returns fall into
  two groups, or their spread is larger than the effect you claim. Run the *same* configuration
  twice with disjoint seeds: the difference you see there is your noise.
- **refuted by**: ten seeds of one configuration all reach the goal within a narrow band.

## How to fix
Show each seed as a dot. Count failures separately. Decide the number of seeds before the
comparison: for a gap of one standard deviation between two variants about 20 a side.
```python
returns = [train(config, seed=s) for s in range(10)]
failed = sum(r < threshold for r in returns)
print(sorted(returns), f"{failed} of 10 failed")
```
Then reduce it at the source: larger batches, a lower rate, more environments, better exploration
at the start. Do not choose the best seed, and do not tune on the seeds you report.

## Often mistaken for
- `unseeded`: results cannot be repeated even with the same seed.
- `nondeterminism`: one seed, two different results.
- `lr-too-high`: instability that shows in each seed sooner or later.

## Sources
- henderson-2018: the experiments on random seeds, two groups of runs of one configuration that
  look like different algorithms.
- colas-2018: the sections on statistical power, for the number of seeds.
- agarwal-2021: few-run evaluation, interval estimates and the interquartile mean.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence

if TYPE_CHECKING:
    from sleuth.rl.played import Played
    from sleuth.rl.seeds import Seeds
    from sleuth.sweeping.lottery import Lottery

PREDICTS = {"other-seed": "always"}


def check_env(played: "Played") -> Iterator[Evidence]:
    if not played.fresh_alike:
        yield Evidence(
            "Two fresh environments with the same seed and the same actions go different ways: the seed does "
            "not reach everything that is drawn, and no run can be repeated.",
            "likely",
            fix="Draw from `self.np_random` only, after `super().reset(seed=seed)`.",
        )


def watch_seeds(seeds: "Seeds") -> Iterator[Evidence]:
    if 0 < seeds.failing < len(seeds.finals):
        yield Evidence(
            f"{seeds.failing} of {len(seeds.finals)} seeds end below {seeds.threshold:.3g}; a failure rate "
            f"up to {seeds.bound:.0%} would still be consistent with that (95%).",
            "likely",
            numbers={"failing": seeds.failing, "seeds": len(seeds.finals), "bound": round(seeds.bound, 3)},
            fix="Look at a failed seed by itself before you call it chance; show every seed as a dot.",
        )


def sweep(heaps: "Lottery") -> Iterator[Evidence]:
    yield Evidence(
        f"Outcomes fall into two heaps {heaps.apart:.1f} sd apart: {heaps.failing} of {heaps.total} "
        f"{heaps.unit} fail ({heaps.share:.0%}, 95% interval {heaps.low:.0%} to {heaps.high:.0%}). A mean "
        "describes neither.",
        "likely",
        numbers={
            "share": heaps.share,
            "low": heaps.low,
            "high": heaps.high,
            "failing": heaps.failing,
            "total": heaps.total,
            "unit": heaps.unit,
            "threshold": heaps.threshold,
        },
        fix="Look at a failed seed by itself, and compare the share that fails: sleuth explain seed-lottery.",
    )

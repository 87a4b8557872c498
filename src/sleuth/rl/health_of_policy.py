"""Verdicts on the policy of a logged run: entropy, KL, clipping, deviation."""

import math
from collections.abc import Iterator, Sequence
from statistics import fmean, median, pstdev

from sleuth.finding import Finding
from sleuth.rl.course import COLLAPSED, EARLY, FLAT, POINTS, largest_entropy, learns, said
from sleuth.rl.logs import Run, Series, finite

KL_TIMES, KL_LEAST = 10.0, 0.05  # a spike: times its running median, and no small change
KL_HUGE = 1.0  # nats in one update: trust regions stand at 0.01 to 0.05
NOTHING = 0.05  # nats: less than a policy that errs once in a hundred times
CLIPPED = 0.4


def entropy(run: Run, actions: int | None) -> Iterator[Finding]:
    series = run.series.get("entropy")
    if series is None or len(series.values) < POINTS:
        return
    most = largest_entropy(series, actions)
    if most <= NOTHING:
        yield from _certain_at_once(run, series)
        return
    share = [value / most for value in series.values]
    low = next((k for k, value in enumerate(share) if value < COLLAPSED), None)
    if (
        low is not None
        and low <= EARLY * len(share)
        and fmean(share[low:]) < 2 * COLLAPSED
        and learns(run) is False
    ):
        yield said(
            run,
            "entropy-collapsed",
            f"Entropy fell to {share[low]:.0%} of its maximum within {low / len(share):.0%} of the run, "
            "and the return "
            "did not rise: the policy is certain of something that does not pay.",
            "Lower the rate or the epochs, add an entropy bonus, look for a sign error in it.",
            series.steps[low],
            entropy=series.values[low],
            largest=most,
        )
    late = share[len(share) // 10 :]
    if min(late) > FLAT and learns(run) is not True:
        yield said(
            run,
            "entropy-flat",
            f"Entropy never left its maximum (lowest {min(late):.0%}): the policy is still random.",
            "Check that a gradient reaches the actor and that the bonus is smaller than the advantages.",
            series.steps[len(share) // 10],
            lowest=min(late) * most,
            largest=most,
        )
    yield from _subset(run, series, share, most)
    yield from _swinging(run, series, share)


def _certain_at_once(run: Run, series: Series) -> Iterator[Finding]:
    """Below zero stands a continuous policy, whose deviation tells; just above it a certain one."""
    if min(finite(series.values) or [-1.0]) >= -1e-6 and learns(run) is False:
        yield said(
            run,
            "entropy-collapsed",
            f"Entropy is {series.values[0]:.2g} at the first update already and never above {NOTHING}, and "
            "the return did not rise: the policy was certain before it had seen anything.",
            "Lower the rate or the epochs, add an entropy bonus, look for a sign error in it.",
            series.steps[0],
            entropy=series.values[0],
        )


def _subset(run: Run, series: Series, share: Sequence[float], most: float) -> Iterator[Finding]:
    """Constant in between: random among some of the actions."""
    late = share[len(share) // 2 :]
    if len(late) >= POINTS and 0.2 < fmean(late) < 0.9 and pstdev(late) < 0.01 and learns(run) is False:
        yield said(
            run,
            "entropy-flat",
            f"Entropy stays at {fmean(late) * most:.2f}, as if {math.exp(fmean(late) * most):.1f} actions "
            "were drawn at "
            "random and the others never.",
            "Look at the frequency of each action.",
            series.steps[len(share) // 2],
            0.6,
            entropy=fmean(late) * most,
        )


def _swinging(run: Run, series: Series, share: Sequence[float]) -> Iterator[Finding]:
    turns, last = 0, share[0]
    direction = 0
    for value in share:
        if abs(value - last) > 0.4:
            way = 1 if value > last else -1
            turns += direction not in (0, way)
            direction, last = way, value
    if turns >= 4 and learns(run) is not True:
        yield said(
            run,
            "entropy-collapsed",
            f"Entropy swings up and down by more than 40% of its maximum, {turns} times: the policy is "
            "thrown about.",
            "Lower the rate, enlarge the batch, clip the gradient norm.",
            series.steps[0],
            0.6,
            turns=turns,
        )


def kl(run: Run, actions: int | None) -> Iterator[Finding]:
    series = run.series.get("kl")
    if series is None or len(finite(series.values)) < POINTS:
        return
    values = [value if math.isfinite(value) else 0.0 for value in series.values]
    if min(values) < -1e-3 and _never_negative(series.key.lower()):
        place = values.index(min(values))
        yield said(
            run,
            "kl-spike",
            f"KL is reported as {values[place]:.3g} by {series.key}; the usual estimator (r - 1) - log r "
            "is never negative.",
            "See which estimator is logged; the plain mean of log-ratios may be negative, a KL may not.",
            series.steps[place],
            0.6,
            "note",
            kl=values[place],
        )
    spike = _spike(values)
    if spike is not None and _harmful(run, series, spike):
        yield said(
            run,
            "kl-spike",
            f"KL jumped to {values[spike]:.3g}, where {median(values):.2g} is usual, "
            "and the return did not gain by it: one update moved the policy too far.",
            "Stop the epochs of an update at 1.5 times a target KL; lower the rate; clip advantages' "
            "outliers.",
            series.steps[spike],
            kl=values[spike],
        )
    quarter = len(values) // 4
    early, late = median(values[quarter : 2 * quarter]), median(values[-quarter:])
    if late > KL_LEAST and late > 5 * max(early, 1e-6) and learns(run) is not True:
        yield said(
            run,
            "kl-spike",
            f"KL grows over the run, from {early:.3g} to {late:.3g} an update.",
            "Anneal the rate, use fewer epochs, or stop at a target KL.",
            series.steps[-quarter],
            0.7,
            early=early,
            late=late,
        )


def _never_negative(key: str) -> bool:
    """Not the plain mean of log-ratios, which spinningup calls KL and verl ppo_kl."""
    return "old" not in key and "ppo_kl" not in key and key != "kl"


def _spike(values: Sequence[float]) -> int | None:
    for place in range(len(values)):
        if place < POINTS:  # too few for a median: only what is huge anywhere
            if values[place] > KL_HUGE:
                return place
            continue
        usual = median(values[:place])
        if values[place] > KL_LEAST and values[place] > KL_TIMES * max(usual, 1e-4):
            return place
    return None


def _harmful(run: Run, series: Series, spike: int) -> bool:
    """A return that never rose, at the beginning or at all, has nothing from which it could fall."""
    if spike < POINTS or series.values[spike] > KL_HUGE:
        return learns(run) is False or (spike >= POINTS and _return_fell(run, series.steps[spike]))
    return _return_fell(run, series.steps[spike])


def _return_fell(run: Run, step: float) -> bool:
    series = run.series.get("return")
    if series is None:
        return True
    before = [v for s, v in zip(series.steps, series.values, strict=True) if s <= step and math.isfinite(v)]
    after = [v for s, v in zip(series.steps, series.values, strict=True) if s > step and math.isfinite(v)]
    if len(before) < 3 or len(after) < 3:
        return False
    span = max(before) - min(before) or 1.0
    return fmean(before[-3:]) - fmean(after[: max(3, len(after) // 2)]) > 0.3 * span


def clip(run: Run, actions: int | None) -> Iterator[Finding]:
    series = run.series.get("clip_fraction")
    if series is None or len(series.values) < POINTS:
        return
    late = finite(series.part(0.5, 1))
    if late and median(late) > CLIPPED and learns(run) is not True:
        yield said(
            run,
            "kl-spike",
            f"Half of all updates clip more than {median(late):.0%} of the samples: each goes far beyond "
            "the trust region.",
            "Lower the rate or the number of epochs.",
            series.steps[len(series.steps) // 2],
            0.7,
            clip_fraction=median(late),
        )


def exploration(run: Run, actions: int | None) -> Iterator[Finding]:
    rate = run.series.get("exploration")
    if rate is not None and len(rate.values) >= POINTS and min(rate.values) > 0.5 and learns(run) is not True:
        yield said(
            run,
            "entropy-flat",
            f"Epsilon never falls below {min(rate.values):.2f}: most actions stay random.",
            "Let it fall within the first tenth of the run.",
            rate.steps[0],
            epsilon=min(rate.values),
        )
    spread = run.series.get("std")
    if spread is None or len(spread.values) < POINTS or spread.values[0] <= 0:
        return
    times = [value / spread.values[0] for value in spread.values]
    small = next((k for k, value in enumerate(times) if value < COLLAPSED), None)
    if small is not None and small <= EARLY * len(times) and learns(run) is False:
        yield said(
            run,
            "entropy-collapsed",
            f"The policy's deviation shrank to {times[small]:.0%} of its start within "
            f"{small / len(times):.0%} of the run.",
            "Lower the rate, or bound the deviation from below.",
            spread.steps[small],
            std=spread.values[small],
        )
    if times[-1] > 5 and learns(run) is not True:
        yield said(
            run,
            "entropy-flat",
            f"The policy's deviation grew to {times[-1]:.1f} times its start: the bonus outweighs the "
            "advantages.",
            "Lower the entropy coefficient or scale rewards up.",
            spread.steps[next(k for k, value in enumerate(times) if value > 2)],
            std=spread.values[-1],
        )

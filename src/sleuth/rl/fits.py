"""How well each known mistake explains what the probes showed: its prediction against every number seen."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sleuth.rl.ladder import Rung
from sleuth.rl.mistakes import MYOPIC, known, policy_mistakes
from sleuth.rl.streams import Belief, Mistake, believe, experience, kinds_of

WAVERS = 0.15  # a smaller difference between actions than twice this is no signal
PRICE = 1.5  # the most that one probe can say against a mistake: one noisy probe must not decide
WIDE = 0.6  # the most that noise may widen a tolerance
VAGUE = 0.35  # price of a prediction that noise makes wide: it fits too much
UNTOLD = 0.7  # price of a number that the mistake says nothing about
ON_ITS_WAY = 0.4  # price of a value that runs in the predicted direction
RUNAWAY = 5.0  # values beyond this are still on their way: only the direction is compared
PAST = 1.5  # times its end a value cannot be on its way there


@dataclass(frozen=True)
class Fit:
    """How well one mistake explains all probes, and those that failed: the mean price, in tolerances."""

    name: str
    mistake: Mistake
    cost: float
    failed: float


def rank(rungs: Sequence[Rung]) -> list[Fit]:
    """Every known mistake, the best explanation first."""
    seen = [rung for rung in rungs if rung.result in ("passed", "failed") and rung.last is not None]
    fits = []
    for label, mistake, beliefs in _hypotheses(seen):
        costs = [(_cost(rung, belief), rung.result) for rung, belief in zip(seen, beliefs, strict=True)]
        wrong = [cost for cost, result in costs if result == "failed"]
        fits.append(
            Fit(
                label,
                mistake,
                sum(cost for cost, _ in costs) / len(costs),
                sum(wrong) / max(len(wrong), 1),
            )
        )
    return sorted(fits, key=lambda fit: fit.cost)


def _hypotheses(seen: Sequence[Rung]) -> Iterator[tuple[str, Mistake, list[Belief]]]:
    worlds = [(rung.table.name, rung.gamma) for rung in seen]
    for label, mistake in known().items():
        yield label, mistake, [_belief(label, world, gamma) for world, gamma in worlds]
    right = [_belief("", world, gamma) for world, gamma in worlds]
    for label, (mistake, change) in policy_mistakes().items():
        yield label, mistake, [change(belief) for belief in right]
    at_once = [_belief("gamma-zero", world, gamma) for world, gamma in worlds]
    pairs = zip(right, at_once, strict=True)
    yield "policy-myopic", MYOPIC, [Belief(one.values, two.gap, one.spread) for one, two in pairs]


@cache
def _belief(label: str, world: str, gamma: float) -> Belief:
    """What a mistake teaches in a world hangs on nothing that was seen."""
    return believe(known()[label] if label else CORRECT, experience(world), gamma)


CORRECT = Mistake("")


def _cost(rung: Rung, belief: Belief) -> float:
    """How much this probe speaks against a mistake that predicts `belief`."""
    prices = []
    if rung.table.asks == "value":
        prices += _value_prices(rung, belief)
    if rung.table.asks != "value":
        prices += _policy_prices(rung, belief)
    if not prices:
        return 0.0
    capped = [min(PRICE, price) for price in prices]
    # Half the worst state, half all of them: one noisy state must not decide, nor drown among the others.
    return 0.5 * max(capped) + 0.5 * sum(capped) / len(capped)


def _value_prices(rung: Rung, belief: Belief) -> list[float]:
    check = rung.last
    worth = check.reading.worth if check is not None else None
    if worth is None:
        return []
    options = [_distance(rung, worth, values, belief.spread) for values in belief.values]
    return min(options, key=sum)


def _distance(rung: Rung, worth: Sequence[float], values: Any, spread: Any) -> list[float]:
    kinds = kinds_of(rung.table)
    prices = []
    for state, seen in enumerate(worth):
        predicted = float(values[kinds[state]])
        noise = 0.0 if spread is None else min(WIDE, 0.5 * float(spread[kinds[state]]))
        if math.isnan(predicted):
            prices.append(UNTOLD)
        elif abs(predicted) > RUNAWAY and rung.result == "failed":
            there = 0.0 < seen / predicted < PAST and runs_away(rung, state)
            prices.append(ON_ITS_WAY if there else PRICE)
        elif not math.isfinite(seen):
            prices.append(PRICE)
        else:
            vague = VAGUE if noise > 0.3 else 0.0
            prices.append(vague + abs(seen - predicted) / (rung.table.tolerance + noise))
    return prices


def runs_away(rung: Rung, state: int) -> bool:
    """Far off and farther with every check, or near its end already."""
    seen = [check.reading.worth[state] for check in rung.checks if check.reading.worth is not None]
    return len(seen) < 2 or abs(seen[-1]) > 1.15 * abs(seen[0]) or abs(seen[-1]) > RUNAWAY


def _policy_prices(rung: Rung, belief: Belief) -> list[float]:
    check = rung.last
    if check is None:
        return []
    kinds = kinds_of(rung.table)
    prices = []
    for state, second in enumerate(check.reading.second):
        gap = float(belief.gap[kinds[state]])
        if second is None or math.isnan(gap):
            prices.append(0.0 if second is None else UNTOLD)
        else:
            prices.append(_preference(_leaning(check.reading.q, state, second), gap))
    return prices


def _leaning(q: Sequence[Sequence[float]] | None, state: int, second: float) -> float:
    """A greedy choice between two nearly equal action values is no preference."""
    if q is None:
        return second
    gap = q[state][1] - q[state][0]
    return 0.5 if abs(gap) < 0.5 else second


def _preference(second: float, gap: float) -> float:
    """The price of P(second action) against a predicted difference between the actions."""
    if abs(gap) < 2 * WAVERS:
        return 0.2 if 0.1 < second < 0.9 else 0.7  # without a signal a policy may drift anywhere
    toward = second if gap > 0 else 1.0 - second
    return (1.0 - toward) * 2.0 * PRICE

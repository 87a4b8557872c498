"""From what the probes showed to a cause: the nearest known mistake, else the first rung that breaks."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sleuth import catalog
from sleuth.finding import Finding, Severity
from sleuth.rl.judge import OTHER_Q, PREFERS, acting_q
from sleuth.rl.ladder import Rung
from sleuth.rl.mistakes import MYOPIC, known, policy_mistakes
from sleuth.rl.streams import Belief, Mistake, believe, experience, kinds_of

WAVERS = 0.15  # a smaller difference between actions than twice this is no signal
NEAR = 0.8  # tolerances, on average over the failed probes: a name is given only to what fits
PRICE = 1.5  # the most that one probe can say against a mistake: one noisy probe must not decide
WIDE = 0.6  # the most that noise may widen a tolerance
VAGUE = 0.35  # price of a prediction that noise makes wide: it fits too much
UNTOLD = 0.7  # price of a number that the mistake says nothing about
ON_ITS_WAY = 0.4  # price of a value that runs in the predicted direction
LOCAL = 0.002  # in a tie, in favour of the cause that the first broken probe was built for
ABOUT_VALUES = ("value-not-learning", "obs-ignored")  # not said of an agent that has none
ALIKE = 0.02  # values of different states, closer than this in several worlds, are one value
RUNAWAY = 5.0  # values beyond this are still on their way: only the direction is compared
PAST = 1.5  # times its end a value cannot be on its way there
CLEAR = 0.25  # distance to the next cause at which the name is as good as certain


@dataclass(frozen=True)
class Fit:
    """How well one mistake explains all probes."""

    name: str
    mistake: Mistake
    cost: float
    failed: float


def finding(
    slug: str,
    message: str,
    credence: float,
    numbers: Mapping[str, float | int | str] | None = None,
    fix: str = "",
    severity: Severity = "error",
    technique: str = "probe",
) -> Finding:
    """A finding under a cause of the catalog, with the sources of its page."""
    cause = catalog.find(slug)
    return Finding(
        message,
        severity,
        credence,
        None,
        dict(numbers or {}),
        fix,
        slug,
        cause.family,
        technique,
        sources=cause.references,
    )


def name(rungs: Sequence[Rung]) -> list[Finding]:
    """The findings of a ladder, surest first; none when nothing failed."""
    found = [*_misuse(rungs)]
    failed = [rung for rung in rungs if rung.result == "failed"]
    if failed and not found:  # what follows from an episode that never ended needs no second name
        found += _ranked(rungs, failed)
    kept: dict[str, Finding] = {}
    for entry in sorted(found, key=lambda entry: -entry.credence):
        kept.setdefault(entry.cause, entry)
    return list(kept.values())


def _misuse(rungs: Sequence[Rung]) -> Iterator[Finding]:
    """What the environment itself saw needs no inference."""
    after = sum(rung.facts.get("after_end", 0) + rung.facts.get("after_limit", 0) for rung in rungs)
    steps = sum(rung.facts.get("steps", 0) for rung in rungs)
    if steps and after / steps > 0.01:
        only_limits = not any(rung.facts.get("after_end", 0) for rung in rungs)
        which = "after a time limit" if only_limits else "after an episode had ended"
        yield finding(
            "episode-not-reset",
            f"The agent went on stepping {which}, {after:.0f} times in {steps:.0f} steps, without a reset: "
            "what it learns there happened in no episode.",
            0.95,
            {"steps_after_end": int(after), "steps": int(steps)},
            "Call reset whenever terminated or truncated is true, before the next step.",
        )


def _ranked(rungs: Sequence[Rung], failed: Sequence[Rung]) -> Iterator[Finding]:
    first = failed[0]
    if _all_alike(failed):
        yield _blind(failed)
        return
    if all(map(_acts_well, failed)):
        yield _by_rung(first, failed, 0.5 if _random_still(first) else 0.7)
        return
    fits = rank(rungs)
    valued = any(rung.last is not None and rung.last.reading.worth is not None for rung in failed)
    fits = [fit for fit in fits if fit.failed <= NEAR and (valued or fit.mistake.slug not in ABOUT_VALUES)]
    fits.sort(key=lambda fit: fit.cost - (LOCAL if fit.mistake.slug == first.table.suspect else 0.0))
    if not fits:
        yield _by_rung(first, failed, 0.55)
        return
    best, others = fits[0], [fit for fit in fits if fit.mistake.slug != fits[0].mistake.slug]
    margin = (others[0].cost - best.cost) if others else 1.0
    credence = 0.95 if margin > CLEAR else 0.75 if margin > 0.05 else 0.6
    yield _by_fit(best, failed, credence)
    if others and margin <= CLEAR:
        yield _by_fit(others[0], failed, round(min(0.4, 1.0 - credence), 2))


def _all_alike(failed: Sequence[Rung]) -> bool:
    """The same number for every state, in more than one world where states differ."""
    flat = 0
    for rung in failed:
        worth = rung.last.reading.worth if rung.last is not None else None
        if rung.table.asks == "value" and rung.table.states > 1 and worth is not None:
            flat += max(worth) - min(worth) < ALIKE and abs(worth[0]) > ALIKE
    return flat >= 2 and failed[0].table.name != "constant"


def _acts_well(rung: Rung) -> bool:
    """The best action is known, only what it is worth is not."""
    check = rung.last
    if rung.table.asks != "policy" or check is None or check.reading.q is None:
        return False
    second = check.reading.second
    return all(second[state] == float(best) for state, best in (rung.table.best or {}).items())


def _blind(failed: Sequence[Rung]) -> Finding:
    mistake = known()["blind"]
    return finding(
        mistake.slug, f"{_seen(failed)} In every world {mistake.says}.", 0.95, _numbers(failed), mistake.fix
    )


def rank(rungs: Sequence[Rung]) -> list[Fit]:
    """Every known mistake, the best explanation first."""
    told = [rung for rung in rungs if rung.result in ("passed", "failed") and rung.last is not None]
    fits = []
    for label, mistake, beliefs in _hypotheses(told):
        costs = [(_cost(rung, belief), rung.result) for rung, belief in zip(told, beliefs, strict=True)]
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


def _hypotheses(told: Sequence[Rung]) -> Iterator[tuple[str, Mistake, list[Belief]]]:
    worlds = [(rung.table.name, rung.gamma) for rung in told]
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


CORRECT = Mistake("", "", "")


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
            there = 0.0 < seen / predicted < PAST and _runs_away(rung, state)
            prices.append(ON_ITS_WAY if there else PRICE)
        elif not math.isfinite(seen):
            prices.append(PRICE)
        else:
            vague = VAGUE if noise > 0.3 else 0.0
            prices.append(vague + abs(seen - predicted) / (rung.table.tolerance + noise))
    return prices


def _runs_away(rung: Rung, state: int) -> bool:
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


def _by_fit(fit: Fit, failed: Sequence[Rung], credence: float) -> Finding:
    message = f"{_seen(failed)} This is the fingerprint of a known mistake: {fit.mistake.says}."
    numbers = {"fingerprint": fit.name, "distance": round(fit.failed, 3), **_numbers(failed)}
    return finding(fit.mistake.slug, message, credence, numbers, fit.mistake.fix)


def _by_rung(first: Rung, failed: Sequence[Rung], credence: float) -> Finding:
    slug, why = _suspect(first)
    message = (
        f"{_seen(failed)} No known mistake fits these numbers; {why}: the lowest rung that breaks says most."
    )
    return finding(slug, message, credence, _numbers(failed), "Repair the lowest failing probe first.")


def _suspect(first: Rung) -> tuple[str, str]:
    check = first.last
    worth = check.reading.worth if check is not None else None
    if _acts_well(first) and _random_still(first):
        why = (
            "the best action is known, but what is done, and what values are learnt of, is random to the end"
        )
        return "entropy-flat", f"{why} (unless exploration is meant to fall after more steps than these)"
    if _acts_well(first):
        why = "the best action is found, but not its worth over several steps, as if the next state were "
        return "discount-broken", why + "valued by another action than its best"
    if first.table.name == "constant" and worth is not None and worth[0] > 1.3 and _runs_away(first, 0):
        return "bootstrap-through-terminal", "the value climbs past everything there is to earn"
    if first.table.name == "continuing" and worth is not None and worth[0] > RUNAWAY:
        return "discount-broken", "the value grows as if rewards were added up without a discount"
    if first.table.name == "constant" and _swings(first):
        return (
            "bootstrap-through-terminal",
            "nothing here is random, and still the value swings about the truth: other episodes come into it",
        )
    return first.table.suspect, f"“{first.table.name}” asks: {first.table.purpose}"


def _random_still(rung: Rung) -> bool:
    """Its action values are those of what it does, and that is no better than a coin."""
    check = rung.last
    if check is None or check.reading.q is None:
        return False
    acted, best = check.reading.acted, rung.table.best or {}
    own = acting_q(rung.table, rung.gamma, acted)
    if own is None:
        return False
    # Over all states: in each alone a coin that fell fifty times may lean.
    right = [1.0 - abs((acted[state] or 0.0) - act) for state, act in best.items()]
    if abs(sum(right) / len(right) - 0.5) > PREFERS - 0.5:
        return False
    return all(abs(check.reading.q[state][act] - own[state][act]) <= OTHER_Q for state, act in best.items())


def _swings(rung: Rung) -> bool:
    """Above and below a truth that does not vary."""
    seen = [check.reading.worth[0] for check in rung.checks if check.reading.worth is not None]
    return len(seen) > 1 and min(seen) < 0.95 and max(seen) > 1.05


def _seen(failed: Sequence[Rung]) -> str:
    first = failed[0]
    others = len(failed) - 1
    more = f" {others} other probe{'s fail' if others > 1 else ' fails'} as well." if others else ""
    what = first.last.error.what if first.last is not None else first.reason
    return f"The probe “{first.table.name}” fails: {what}.{more}"


def _numbers(failed: Sequence[Rung]) -> dict[str, float | int | str]:
    first = failed[0]
    numbers: dict[str, float | int | str] = {"first_failing": first.table.name, "failing": len(failed)}
    if first.last is not None:
        numbers["steps"] = first.last.steps
    return numbers

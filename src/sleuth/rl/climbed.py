"""What became of all probes of an agent: which failed, and what explains the numbers of those that did."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal, get_args

from sleuth import catalog
from sleuth.finding import Telling
from sleuth.judge.relations import says
from sleuth.rl.fits import RUNAWAY, Fit, rank, runs_away
from sleuth.rl.judge import OTHER_Q, PREFERS, acting_q
from sleuth.rl.ladder import Rung
from sleuth.rl.tables import ladder

NEAR = 0.8  # tolerances, on average over the failed probes: a name is given only to what fits
LOCAL = 0.002  # in a tie, in favour of the cause that the first broken probe was built for
CLEAR = 0.25  # distance to the next cause at which the name is as good as certain
ALIKE = 0.02  # values of different states, closer than this in several worlds, are one value
STRAYS = 0.01  # share of the steps that were made after an end

# What the first failing probe shows, where no known mistake explains the numbers; "" for nothing special.
Sign = Literal["random to the end", "acts well", "climbs", "adds up", "swings", ""]
SIGNS: tuple[Sign, ...] = tuple(sign for sign in get_args(Sign) if sign)


@dataclass(frozen=True)
class Explanation:
    """A known mistake whose prediction is near what was seen, and how telling that is."""

    fit: Fit
    telling: Telling


@dataclass(frozen=True)
class Climb:
    """Every probe that was made, and what follows from all of them together."""

    rungs: tuple[Rung, ...]

    @property
    def steps(self) -> int:
        return int(sum(rung.facts.get("steps", 0) for rung in self.rungs))

    @property
    def steps_after_end(self) -> int:
        """Steps that the agent made in an episode that had ended."""
        return int(
            sum(rung.facts.get("after_end", 0) + rung.facts.get("after_limit", 0) for rung in self.rungs)
        )

    @property
    def only_after_limits(self) -> bool:
        return not any(rung.facts.get("after_end", 0) for rung in self.rungs)

    @property
    def strays(self) -> bool:
        """It leaves the worlds whose answers are known, so its answers there say nothing more."""
        return self.steps > 0 and self.steps_after_end / self.steps > STRAYS

    @cached_property
    def on_ladder(self) -> tuple[Rung, ...]:
        return tuple(rung for rung in self.rungs if rung.table.name in ladder())

    @cached_property
    def failed(self) -> tuple[Rung, ...]:
        """In the order in which they are climbed."""
        return () if self.strays else tuple(rung for rung in self.on_ladder if rung.result == "failed")

    @cached_property
    def broken_elsewhere(self) -> Rung | None:
        """The first probe beside the ladder that fails where the ladder does not."""
        others = [rung for rung in self.rungs if rung not in self.on_ladder and rung.result == "failed"]
        return others[0] if others and not self.strays and not self.failed else None

    @cached_property
    def all_alike(self) -> bool:
        """The same number for every state, in more than one world where states differ."""
        flat = 0
        for rung in self.failed:
            worth = rung.last.reading.worth if rung.last is not None else None
            if rung.table.asks == "value" and rung.table.states > 1 and worth is not None:
                flat += max(worth) - min(worth) < ALIKE and abs(worth[0]) > ALIKE
        return flat >= 2 and self.failed[0].table.name != "constant"

    @cached_property
    def explanations(self) -> tuple[Explanation, ...]:
        """The mistake that fits best, and that of another cause where it fits nearly as well."""
        if not self.failed or self.all_alike or all(map(_acts_well, self.failed)):
            return ()
        fits = self._near
        if not fits:
            return ()
        best, others = fits[0], [fit for fit in fits if owner(fit.name) != owner(fits[0].name)]
        margin = others[0].cost - best.cost if others else 1.0
        second = [Explanation(others[0], "open")] if margin <= CLEAR else []
        return (Explanation(best, "proven" if margin > CLEAR else "likely"), *second)

    @property
    def _near(self) -> list[Fit]:
        """All that fit well enough, in a tie for the cause that the first broken probe was built for."""
        valued = any(rung.last is not None and rung.last.reading.worth is not None for rung in self.failed)
        built_for = suspect_of(self.failed[0].table.name)
        near = [
            fit for fit in rank(self.on_ladder) if fit.failed <= NEAR and (valued or _needs_no_values(fit))
        ]
        return sorted(near, key=lambda fit: fit.cost - (LOCAL if owner(fit.name) == built_for else 0.0))

    @property
    def unexplained(self) -> bool:
        """Something fails in a way that no known mistake explains."""
        return bool(self.failed) and not self.all_alike and not self.explanations

    @cached_property
    def sign(self) -> Sign:
        return _sign(self.failed[0])


def _sign(first: Rung) -> Sign:
    worth = first.last.reading.worth if first.last is not None else None
    world = first.table.name
    if _acts_well(first):
        return "random to the end" if _random_still(first) else "acts well"
    if world == "constant" and worth is not None and worth[0] > 1.3 and runs_away(first, 0):
        return "climbs"
    if world == "continuing" and worth is not None and worth[0] > RUNAWAY:
        return "adds up"
    return "swings" if world == "constant" and _swings(first) else ""


def _acts_well(rung: Rung) -> bool:
    """The best action is known, only what it is worth is not."""
    check = rung.last
    if rung.table.asks != "policy" or check is None or check.reading.q is None:
        return False
    second = check.reading.second
    return all(second[state] == float(best) for state, best in (rung.table.best or {}).items())


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


def _needs_no_values(fit: Fit) -> bool:
    return not says(owner(fit.name), "ABOUT_VALUES")


@cache
def owner(fingerprint: str) -> str:
    """The cause whose fingerprint it is."""
    return _who_says("FINGERPRINTS", fingerprint)


@cache
def suspect_of(world: str) -> str:
    """The cause that a probe world was built for."""
    return _who_says("SUSPECTED_BY", world)


def _who_says(relation: str, name: str) -> str:
    return next((slug for slug in catalog.causes() if name in _names(says(slug, relation, ()))), "")


def _names(told: Iterable[str]) -> Sequence[str]:
    """The words of a constant: of one string, or of the keys of a mapping."""
    return (told if isinstance(told, str) else " ".join(told)).split()

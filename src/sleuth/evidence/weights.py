"""What each argument counts at a claim: one that only repeats sources counts half, a quarter, ..."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sleuth.evidence.credence import Term

REPEAT = 0.5  # what a source that has spoken before still counts for
SEARCHED = 8  # arguments with several sources among which the best reading is searched exhaustively
CLIMBED = 60  # beyond that, among so many, one at a time; beyond this, all count as they come


def weights(terms: Sequence["Term"]) -> tuple["Term", ...]:
    """The terms with their weights, each side for itself, strongest first.

    An argument uses up every source it names, so counting a wide one could cost more than it brings. The best
    reading sets such an argument aside; that is why one more support can never lower a claim.
    """
    sides = [[term for term in terms if term.against is against] for against in (False, True)]
    return tuple(term for side in sides for term in _best_reading(sorted(side, key=_strength)))


def _strength(term: "Term") -> float:
    return -term.strength


def counted(terms: Sequence["Term"], aside: frozenset[int] = frozenset()) -> list["Term"]:
    """Weights by falling strength: a source counts half as much each time; the freshest one decides."""
    uses: dict[str, int] = {}
    result = []
    for place, term in enumerate(terms):
        if place in aside:
            result.append(replace(term, weight=0.0))
            continue
        fresh = min((uses.get(source, 0) for source in term.sources), default=0)
        for source in term.sources:
            uses[source] = uses.get(source, 0) + 1
        result.append(replace(term, weight=REPEAT**fresh))
    return result


def total(terms: Iterable["Term"]) -> float:
    return sum(term.strength * term.weight for term in terms)


def _best_reading(terms: Sequence["Term"]) -> list["Term"]:
    wide = [place for place, term in enumerate(terms) if len(term.sources) > 1]
    plain = counted(terms)
    if len(wide) < 2 or len(wide) > CLIMBED or all(term.weight == 1.0 for term in plain):
        return plain
    if len(wide) > SEARCHED:
        return _climbed(terms, wide, plain)
    choices = chain.from_iterable(combinations(wide, size) for size in range(1, len(wide)))
    readings = (counted(terms, frozenset(aside)) for aside in choices)
    return max((plain, *readings), key=total)


def _climbed(terms: Sequence["Term"], wide: Sequence[int], plain: list["Term"]) -> list["Term"]:
    """Set aside one argument after the other as long as that gains anything."""
    best, aside = plain, frozenset[int]()
    while True:
        rest = [place for place in wide if place not in aside]
        tried = {place: counted(terms, aside | {place}) for place in rest}
        place = max(rest, key=lambda number: total(tried[number]), default=None)
        if place is None or total(tried[place]) <= total(best) + 1e-12:
            return best
        best, aside = tried[place], aside | {place}

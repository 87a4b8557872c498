"""What each argument counts at a claim: one that only repeats sources counts half, a quarter, ..."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sleuth.evidence.credence import Term

REPEAT = 0.5  # what a source that has spoken before still counts for
SEARCHED = 8  # arguments with several sources among which the best reading is searched exhaustively
BOTH_ENDS = 16  # beyond that one at a time, from both extremes up to so many
CLIMBED = 60  # and from one up to so many; larger crowds count as they come


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
    return [replace(term, weight=weight) for term, weight in zip(terms, _weights(terms, aside), strict=True)]


def _weights(terms: Sequence["Term"], aside: frozenset[int]) -> Iterator[float]:
    uses: dict[str, int] = {}
    for place, term in enumerate(terms):
        if place in aside:
            yield 0.0
            continue
        fresh = min([uses.get(source, 0) for source in term.sources], default=0)
        for source in term.sources:
            uses[source] = uses.get(source, 0) + 1
        yield REPEAT**fresh


def total(terms: Iterable["Term"]) -> float:
    return sum(term.strength * term.weight for term in terms)


def _total(terms: Sequence["Term"], aside: frozenset[int]) -> float:
    """What a reading comes to, without writing it down: the search asks this very often."""
    return sum(term.strength * weight for term, weight in zip(terms, _weights(terms, aside), strict=True))


def _best_reading(terms: Sequence["Term"]) -> list["Term"]:
    wide = [place for place, term in enumerate(terms) if len(term.sources) > 1]
    nothing = frozenset[int]()
    if not wide or len(wide) > CLIMBED or all(weight == 1.0 for weight in _weights(terms, nothing)):
        return counted(terms)
    if len(wide) > SEARCHED:
        starts = (nothing, frozenset(wide)) if len(wide) <= BOTH_ENDS else (nothing,)
        readings: Iterable[frozenset[int]] = [_climbed(terms, wide, start) for start in starts]
    else:
        sizes = range(len(wide) + 1)
        readings = map(frozenset, chain.from_iterable(combinations(wide, size) for size in sizes))
    return counted(terms, max(readings, key=lambda aside: _total(terms, aside)))


def _climbed(terms: Sequence["Term"], wide: Sequence[int], aside: frozenset[int]) -> frozenset[int]:
    """Put aside or take back one argument after the other while that gains anything."""
    best = _total(terms, aside)
    while True:
        tried = {place: _total(terms, aside ^ {place}) for place in wide}
        place = max(wide, key=lambda number: tried[number])
        if tried[place] <= best + 1e-12:
            return aside
        best, aside = tried[place], aside ^ {place}

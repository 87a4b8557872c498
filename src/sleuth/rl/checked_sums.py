"""What a function made of returns or advantages in cases whose answers are known, and how that is told."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sleuth.finding import Evidence
from sleuth.rl.sums import FLAWS


@dataclass(frozen=True)
class CheckedSums:
    """`wrong`: the cases with a wrong answer; `got`, `right`: both answers in the first of them.

    `flaw`: the known way to be wrong that reproduces every answer; "" where none does.
    """

    function: str
    what: str
    cases: int
    wrong: tuple[str, ...]
    flaw: str = ""
    got: tuple[float, ...] = ()
    right: tuple[float, ...] = ()
    ends: bool = False  # an episode ends in the first wrong case

    @property
    def numbers(self) -> dict[str, int]:
        return {"cases": self.cases, "wrong": len(self.wrong)}

    @property
    def extent(self) -> str:
        return f"{self.function} computes wrong {self.what} in {len(self.wrong)} of {self.cases} cases"


def by_known_flaw(sums: CheckedSums, flaws: Sequence[str]) -> Iterator[Evidence]:
    """`flaws`: the ways to be wrong that are this cause's."""
    if sums.flaw in flaws:
        yield Evidence(
            f"{sums.extent} (first: {sums.wrong[0]}), exactly as one known mistake does: "
            f"{FLAWS[sums.flaw].says}.",
            "proven",
            numbers=sums.numbers,
            fix="Compare with a plain double loop on the first wrong case.",
        )


def by_no_known_flaw(sums: CheckedSums, ends: bool) -> Iterator[Evidence]:
    """Wrong in a way of its own; `ends`: whether this cause is about episodes that end."""
    if not sums.flaw and sums.ends is ends:
        got, right = (", ".join(f"{x:.3g}" for x in row) for row in (sums.got[:8], sums.right))
        yield Evidence(
            f"{sums.extent}; first in “{sums.wrong[0]}”: got ({got}), right is ({right}). No single known "
            "flaw explains it.",
            "likely",
            numbers=sums.numbers,
            fix="Compare with a plain double loop on this case.",
        )

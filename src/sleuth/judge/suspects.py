"""All evidence for one cause put together."""

from collections.abc import Iterable
from dataclasses import dataclass

from sleuth.finding import TELLINGS, Evidence
from sleuth.judge.strength import strength
from sleuth.quick_dataclass import replace

# Whose line is trusted most: the source says where it is written, a probe or a record where it was seen.
TRUST = ("lint", "watch", "probe", "experiment", "crash")


@dataclass(frozen=True)
class Suspect:
    """All evidence for one cause, as one."""

    evidence: Evidence  # the surest speaks; line, numbers and edits come from whoever has them
    strength: float
    techniques: tuple[str, ...]

    @property
    def by_numbers(self) -> bool:
        """Seen in what the run or the batch shows, and not in the source."""
        return "lint" not in self.techniques


def suspects(evidence: Iterable[Evidence]) -> dict[str, Suspect]:
    """One a cause."""
    by_cause: dict[str, list[Evidence]] = {}
    for one in evidence:
        by_cause.setdefault(one.cause, []).append(one)
    return {cause: _joined(group) for cause, group in by_cause.items()}


def _joined(group: list[Evidence]) -> Suspect:
    ranked = sorted(group, key=lambda e: (TELLINGS.index(e.telling), -strength(e), _trust(e)))
    first = ranked[0]
    placed = next((e for e in sorted(ranked, key=_trust) if e.where is not None and e.where.line), first)
    whole = replace(
        first,
        where=placed.where if placed.where is not None else first.where,
        numbers={key: value for e in reversed(ranked) for key, value in e.numbers.items()},
        fix=next((e.fix for e in ranked if e.fix), ""),
        edits=next((e.edits for e in ranked if e.edits), ()),
    )
    techniques = sorted(ranked, key=_trust)
    return Suspect(whole, strength(first), tuple(dict.fromkeys(e.technique for e in techniques)))


def _trust(evidence: Evidence) -> int:
    return TRUST.index(evidence.technique) if evidence.technique in TRUST else len(TRUST)

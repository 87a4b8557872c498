"""Roots before symptoms: what was found and is the consequence of something else that was found."""

from collections.abc import Iterable, Sequence

from sleuth import catalog
from sleuth.finding import FAULTS, Evidence
from sleuth.judge.relations import rivals_of, roots_of, says
from sleuth.judge.strength import strength
from sleuth.quick_dataclass import replace

STRONG = 0.5  # a root must be at least this likely by itself to explain a symptom away
ANYTHING = "anything"


def roots_before_symptoms(evidence: Iterable[Evidence]) -> list[Evidence]:
    """A symptom beside its root becomes an aside that says whose consequence it is."""
    found = list(evidence)
    return [_explained(one, found) for one in found]


def _explained(evidence: Evidence, found: Sequence[Evidence]) -> Evidence:
    if evidence.telling not in FAULTS or not (above := _above(evidence, found)):
        return evidence
    message = f"{evidence.message} Probably a consequence of {above[0]}."
    return replace(evidence, telling="aside", message=message)


def _above(evidence: Evidence, found: Sequence[Evidence]) -> list[str]:
    """What was found and explains it: roots first, then what settings give way to."""
    cause = evidence.cause
    strong = {e.cause for e in found if e.telling in FAULTS and strength(e) >= STRONG} - {cause}
    gives_way = says(cause, "GIVES_WAY_TO", "")
    roots = strong if gives_way == ANYTHING else strong & (roots_of(cause) | rivals_of(cause))
    above = [
        root for root in sorted(roots) if not _mutual(root, cause) or _better_shown(root, evidence, found)
    ]
    if gives_way == "proven" and evidence.technique != "lint":
        proven = {e.cause for e in found if _is_proven(e)} - {cause, *roots}
        above += sorted(other for other in proven if not _explains(cause, other))
    return above


def _explains(root: str, symptom: str) -> bool:
    return root in roots_of(symptom) | rivals_of(symptom) or says(symptom, "GIVES_WAY_TO") == ANYTHING


def _mutual(root: str, symptom: str) -> bool:
    """Two that could each be the other's symptom, and would both vanish: the better shown one stays."""
    return _explains(symptom, root)


def _is_proven(evidence: Evidence) -> bool:
    """Settings prove nothing against one another."""
    cause = catalog.causes().get(evidence.cause)
    return evidence.telling == "proven" and not (cause and catalog.families()[cause.family].settings)


def _better_shown(rival: str, evidence: Evidence, found: Sequence[Evidence]) -> bool:
    """Whether the rival is shown by the source where this is not, or else is the surer of the two."""
    others = [e for e in found if e.cause == rival]
    shown = any(map(_by_source, others))
    if shown != _by_source(evidence):
        return shown
    return max(map(strength, others)) > strength(evidence)


def _by_source(evidence: Evidence) -> bool:
    return evidence.telling == "proven" and evidence.technique.startswith("lint")

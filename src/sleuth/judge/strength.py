"""How sure one piece of evidence makes one by itself: fitted on kept evidence, not typed by a detector.

`causes/strengths.toml` is written by `python -m bench fit`, which says how: a base for every technique and
degree of telling, moved by family and by detector where there is enough to go by.
"""

import math
import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any

from sleuth import catalog
from sleuth.finding import Evidence, Finding, Severity, Telling

SEVERITY: Mapping[Telling, Severity] = {
    "proven": "error",
    "likely": "warning",
    "open": "note",
    "aside": "note",
}
UNKNOWN = 0.5  # strength of evidence from a technique that was never measured


def severity_of(telling: Telling) -> Severity:
    """What is said of evidence that telling; of what is no cause of the catalog as well (`Flaw`, sweeps)."""
    return SEVERITY[telling]


def severity(evidence: Evidence) -> Severity:
    """What evidence amounts to by itself."""
    return severity_of(evidence.telling)


def strength(evidence: Evidence) -> float:
    """How likely its cause is, this evidence given and nothing else."""
    family = catalog.find(evidence.cause).family if evidence.cause in catalog.causes() else ""
    return _strength(evidence.technique, evidence.telling, family, evidence.cause)


def alone(evidence: Evidence) -> Finding:
    """The finding that follows where there is nothing else to weigh it against, as in lint."""
    cause = catalog.causes().get(evidence.cause)
    return Finding(
        evidence.message,
        severity(evidence),
        strength(evidence),
        evidence.where,
        evidence.numbers,
        evidence.fix,
        evidence.cause,
        "" if cause is None else cause.family,
        catalog.SHOWN_AS.get(evidence.technique, evidence.technique),
        evidence.confirmed_by,
        sources=() if cause is None else cause.references,
        edits=evidence.edits,
    )


@cache
def _strength(technique: str, telling: Telling, family: str, cause: str) -> float:
    fitted = _fitted()
    base = fitted["base"].get(technique, {}).get(telling)
    if base is None:
        return UNKNOWN
    moved = fitted.get("family", {}).get(family, 0.0) + fitted.get(technique, {}).get(cause, 0.0)
    return round(1 / (1 + math.exp(-_logit(base) - moved)), 3)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


@cache
def _fitted() -> Mapping[str, Any]:
    with (catalog.FOLDER / "strengths.toml").open("rb") as file:
        return tomllib.load(file)

"""Small subjects in many styles, each with its right answer beside it: the causes, or nothing."""

from tests.probe.fresh import (
    generative,
    insides,
    language,
    pairs,
    second_broken,
    second_healthy,
    states,
    tables,
    third_broken,
    third_healthy,
    vision,
)
from tests.probe.fresh.shared import FRESH

__all__ = [
    "FRESH",
    "generative",
    "insides",
    "language",
    "pairs",
    "second_broken",
    "second_healthy",
    "states",
    "tables",
    "third_broken",
    "third_healthy",
    "vision",
]

"""Where advice comes from and how far to trust it: argument maps, their quotes, their credence."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sleuth.evidence.check import Check, check_map
    from sleuth.evidence.credence import Belief, Weighed, weigh
    from sleuth.evidence.model import Map, Problem
    from sleuth.evidence.reader import read_file, read_map

__all__ = ["Belief", "Check", "Map", "Problem", "Weighed", "check_map", "read_file", "read_map", "weigh"]

# Loaded on first use: `sleuth explain` needs the reader and the scales, not the comparison of quotes.
_HOMES = {
    "Belief": "credence",
    "Check": "check",
    "Map": "model",
    "Problem": "model",
    "Weighed": "credence",
    "check_map": "check",
    "read_file": "reader",
    "read_map": "reader",
    "weigh": "credence",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sleuth.evidence' has no attribute {name!r}")
    return getattr(import_module(f"sleuth.evidence.{_HOMES[name]}"), name)

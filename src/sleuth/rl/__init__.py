"""Reinforcement learning, where errors are not local: probe worlds, environment checks, health of runs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sleuth.rl.normalizer import check_normalizer
    from sleuth.rl.outcome import UnitCheck
    from sleuth.rl.probing import Ladder, Request, probe_learn, probe_sb3
    from sleuth.rl.units import check_gae, check_nstep, check_returns

__all__ = [
    "Ladder",
    "Request",
    "UnitCheck",
    "check_gae",
    "check_normalizer",
    "check_nstep",
    "check_returns",
    "probe_learn",
    "probe_sb3",
]

# Loaded on first use: NumPy and Gymnasium stay out of programs that only name this package.
_HOMES = {
    "Ladder": "probing",
    "Request": "probing",
    "UnitCheck": "outcome",
    "check_gae": "units",
    "check_normalizer": "normalizer",
    "check_nstep": "units",
    "check_returns": "units",
    "probe_learn": "probing",
    "probe_sb3": "probing",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'sleuth.rl' has no attribute {name!r}")
    return getattr(import_module(f"sleuth.rl.{_HOMES[name]}"), name)

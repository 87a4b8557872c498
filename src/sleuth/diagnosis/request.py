"""What the user asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Request:
    """A script, its arguments, and how far to go."""

    script: Path
    arguments: tuple[str, ...] = ()
    module: str | None = None
    steps: int | None = None
    budget: float = 60.0
    prior: str = "measured"
    overrides: Mapping[str, float] = field(default_factory=dict)  # shares by cause or family
    allow_writes: bool = False
    experiments: bool = True
    keep: bool = True  # in the archive
    wanted: tuple[str, ...] = ()  # tests that are made in any case

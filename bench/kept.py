"""Kept evidence: what was seen of every script of the zoo, one file a set, weighed again without torch."""

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.zoo import LINE_SLACK, ROOT, SETS, ZOO, Case, cases, healthy
from sleuth.finding import Finding
from sleuth.judge.observed import Observed

FOLDER = ZOO / "evidence"


@dataclass(frozen=True)
class Script:
    """One script of a set. `case`: what is wrong with it; None where nothing is."""

    name: str  # "handmade/loss/double-softmax/broken"
    path: Path
    case: Case | None = None
    lot: str = ""  # with which others it was written

    @property
    def set(self) -> str:
        return self.name.partition("/")[0]

    @property
    def family(self) -> str:
        """The shelf of its fault; that of its twin's where it was repaired; "healthy" otherwise."""
        return self.name.split("/")[1]

    @property
    def accepted(self) -> tuple[str, ...]:
        """Names that are fair for its fault."""
        return () if self.case is None else (self.case.slug, *self.case.also)

    def on_line(self, finding: Finding) -> bool:
        """Whether a finding stands within reach of the guilty line."""
        line = finding.where.line if finding.where is not None else None
        if self.case is None or line is None:
            return False
        return any(abs(line - guilty) <= LINE_SLACK for guilty in (self.case.line, *self.case.or_lines))


@dataclass(frozen=True)
class Kept:
    """What was seen of one script, and how it was recorded."""

    name: str
    observed: Observed
    script: str = ""  # digest of its text: another text asks for another record
    version: str = ""  # of Sleuth
    seconds: float = 0.0
    budget: float = 0.0
    load: float = 0.0  # of the machine, over a minute
    first_sight: str = ""  # what was named first when the script was new; "-" for nothing
    more: Mapping[str, Any] = field(default_factory=dict)


def scripts(of: str) -> Iterator[Script]:
    """All scripts of a set: each broken one, its repaired twin, and the healthy ones."""
    for case in cases(SETS[of]):
        yield Script(f"{of}/{case.name}/broken", case.broken, case, case.lot)
        yield Script(f"{of}/{case.name}/fixed", case.fixed, lot=case.lot)
    for entry in healthy(SETS[of]):
        yield Script(f"{of}/{entry.name}", entry.path, lot=entry.lot)


def digest(script: Script) -> str:
    """Of all source files of a script: a folder of its own belongs to it."""
    folder = script.case is not None and script.case.entry
    files = sorted(script.path.parent.rglob("*.py")) if folder else [script.path]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:12]


def read(of: str) -> dict[str, Kept]:
    """The kept evidence of a set by script; nothing where none was recorded."""
    path = _file(of)
    if not path.is_file():
        return {}
    with lzma.open(path, "rt", encoding="utf-8") as file:
        return {kept.name: kept for kept in map(from_line, file)}


def write(of: str, kept: Iterable[Kept]) -> None:
    """One file a set; scripts in order, so that what is alike stands together and packs well."""
    FOLDER.mkdir(exist_ok=True)
    ordered = sorted(kept, key=lambda entry: entry.name)
    text = "".join(to_line(entry) for entry in ordered)
    _file(of).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def to_line(kept: Kept) -> str:
    told = {name: value for name, value in vars(kept).items() if value} | {
        "observed": kept.observed.to_dict()
    }
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return text.replace(f"{ROOT}/", "") + "\n"


def from_line(line: str) -> Kept:
    told = json.loads(line)
    return Kept(**{**told, "observed": Observed.from_dict(told["observed"])})


def _file(of: str) -> Path:
    return FOLDER / f"{of}.jsonl.xz"

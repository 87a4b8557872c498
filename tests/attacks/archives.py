"""Archives to be damaged, ways to damage them, and what the verbs make of it."""

import contextlib
import io
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth import archive
from sleuth.archive import record
from sleuth.cli import run as sleuth
from sleuth.record.blocks import sealed
from sleuth.record.json_lines import line_of
from tests.archive import made
from tests.watching.detectors.records import healthy

REFUSED, OWN_FAULT = 2, 3
BLOCK = 8  # lines; a real one has as many as a quarter of a second gives
JUNK: Sequence[Any] = (
    None, True, 0, -1, 10**400, 10**30, 1e308, float("nan"), "", "x", "nan", "\udce9", "\x1b[31m", [], [[]],
    {}, ["x"], [None, 3], {"x": {"y": []}}, {"kind": 3},
)  # fmt: skip


def lines() -> list[bytes]:
    """A healthy run, as its recorder writes it."""
    return [line_of(item).encode() for item in healthy().items]


def blocks() -> list[bytes]:
    told = lines()
    return [sealed(b"".join(told[start : start + BLOCK])) for start in range(0, len(told), BLOCK)]


def recorded(home: Path, content: bytes, exit_code: int | None = 0) -> archive.Run:
    """A run with a record; without an exit code one whose process is gone."""
    run = archive.begin(["python", "train.py", "--lr", "0.1"], None, home=home)
    run.record_path.write_bytes(content)
    if exit_code is not None:
        run.finish(exit_code, [made.finding()], {"verdict": "cause-found"})
        return run
    meta = run.folder / "meta.json"
    meta.write_text(json.dumps(json.loads(meta.read_text()) | {"pid": 2**22 + 1}))
    return run


def bent(value: Any, chance: random.Random) -> Any:
    """One place of some JSON, at any depth, becomes junk, goes missing, or is joined by a stranger."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(list(value))
        if chance.random() < 0.2:
            return {name: part for name, part in value.items() if name != key}
        return value | {key: bent(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.6:
        place = chance.randrange(len(value))
        return [*value[:place], bent(value[place], chance), *value[place + 1 :]]
    return chance.choice(JUNK)


def flipped(data: bytes, chance: random.Random) -> bytes:
    """One bit of one byte."""
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


@dataclass(frozen=True)
class Said:
    """Its exit code, and the result or the reason why there is none."""

    code: int
    text: str


def said(*words: str) -> Said:
    """One request, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = sleuth(words)
    (out.getvalue() + err.getvalue()).encode()  # no half letters
    return Said(code, out.getvalue() if code < REFUSED else err.getvalue())


def reads(home: Path, run: archive.Run, other: archive.Run) -> Iterator[tuple[str, Said]]:
    """Every verb that reads an archive, as text and as JSON."""
    place = ("--home", str(home))
    yield "runs", said("runs", *place)
    yield "runs --json", said("runs", "--json", "-", *place)
    yield "journal", said("journal", *place)
    yield "show", said("runs", "show", run.id, *place)
    yield "show --json", said("runs", "show", run.id, "--json", "-", *place)
    yield "diff", said("runs", "diff", run.id, other.id, *place)
    yield "export", said("runs", "export", run.id, other.id, "--to", str(home / "out.csv"), *place)


def faults(home: Path, run: archive.Run, other: archive.Run) -> list[str]:
    """Verbs that end with a fault of Sleuth's own, or lists that lose a run."""
    found = []
    for verb, answer in reads(home, run, other):
        if answer.code >= OWN_FAULT:
            found.append(f"{verb}: {answer.text.strip().splitlines()[-2:]}")
        elif verb == "runs" and not (run.id in answer.text and other.id in answer.text):
            found.append(f"{verb} loses a run")
    return found


def steps_of(run: archive.Run) -> list[Any]:
    return list(record.events(run.folder, "step"))

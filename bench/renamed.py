"""`python -m bench renamed`: what was recorded under the former names of the sets, under those of today.

Evidence, accepted verdicts and what a recording has not packed yet; to be run whenever more comes in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from bench import kept, record, replay
from bench.kept import Kept, Script
from bench.zoo import SHELF

FORMER = {"zoo": "handmade", "wild": "practice", "stray": "exam", "blind": "strangers"}


def main(arguments: Sequence[str]) -> int:
    for former, today in FORMER.items():
        came = list(_taken(former))
        if came:
            kept.write(today, {**kept.read(today), **{entry.name: entry for entry in came}}.values())
        print(f"{former} -> {today}: {len(came)} scripts")
    _verdicts()
    return 0


def _taken(former: str) -> Iterator[Kept]:
    """What lies under a former name, which is then gone."""
    packed = kept.FOLDER / f"{former}.jsonl.xz"
    for entry in kept.read(former).values():
        yield replace(entry, name=todays(entry.name, entry.script))
    packed.unlink(missing_ok=True)
    for file in sorted(record.SCRATCH.glob(f"{former}_*.json")):
        entry = kept.from_line(file.read_text("utf-8"))
        entry = replace(entry, name=todays(entry.name, entry.script))
        record.scratch_of(entry.name).write_text(kept.to_line(entry), "utf-8")
        file.unlink()


def _verdicts() -> None:
    """A verdict says of which text it is: `recorded` ends in its digest."""
    known: Mapping[str, Any] = replay.accepted()
    replay.keep({todays(name, told["recorded"].split()[-1]): told for name, told in known.items()})


def todays(name: str, digest: str) -> str:
    """The name of a script today. Programs of several files went by the name of their last one alone, so
    among those that share it the text tells which is meant."""
    former, _, rest = name.partition("/")
    if former not in FORMER:
        return name
    straight = f"{FORMER[former]}/{rest}"
    if not rest.startswith(SHELF):
        return straight
    alike = [s for s in _healthy(FORMER[former]) if PurePath(s.name).name == PurePath(rest).name]
    return next((s.name for s in alike if kept.digest(s) == digest), straight)


def _healthy(of: str) -> list[Script]:
    return [script for script in kept.scripts(of) if script.family == SHELF.rstrip("/")]

"""`python -m bench replay [SET ...]`: every verdict again from kept evidence, in seconds and without torch.

It scores them, compares each with the last replay that was accepted, and says which changed and why. Exit
code 0 when no script is judged worse than there; `--accept` makes this replay the one to compare with.
"""

import argparse
import json
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bench import kept
from bench.kept import Kept, Script
from bench.zoo import SETS
from sleuth.finding import Finding
from sleuth.judge.verdict import findings, verdict
from sleuth.judge.weigh import weigh

ACCEPTED = kept.FOLDER / "verdicts.json"
BINS = ((0.0, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01))
# How a script is judged, the better the larger: a broken one, and one without a fault.
GRADES = {"wrong": 0, "nothing said": 1, "named, not first": 2, "first": 3, "first, on its line": 4}
QUIET_GRADES = {"accused": 0, "inconclusive": 1, "quiet": 2}


@dataclass(frozen=True)
class Replayed:
    """One script and its verdict."""

    script: Script
    kept: Kept

    @cached_property
    def loud(self) -> tuple[Finding, ...]:
        """What a user is told of: errors and warnings, the surest first."""
        return tuple(f for f in self.all if f.severity != "note")

    @cached_property
    def all(self) -> tuple[Finding, ...]:
        return findings(weigh(self.kept.observed))

    @cached_property
    def status(self) -> str:
        return verdict(self.kept.observed, self.all).status

    @property
    def first(self) -> bool:
        return bool(self.loud) and self.loud[0].cause in self.script.accepted

    @property
    def on_line(self) -> bool:
        return any(f.cause in self.script.accepted and self.script.on_line(f) for f in self.loud)

    @property
    def grade(self) -> str:
        if self.script.case is None:
            return "accused" if self.loud else "quiet" if self.status == "nothing-found" else "inconclusive"
        if self.first:
            return "first, on its line" if self.on_line else "first"
        if any(f.cause in self.script.accepted for f in self.loud):
            return "named, not first"
        return "wrong" if self.loud else "nothing said"

    @property
    def summary(self) -> dict[str, Any]:
        """What is kept of it, to compare the next replay with."""
        told = [f"{f.cause} {f.credence:.2f}{_at(f)}" for f in self.loud[:3]]
        return {"grade": self.grade, "told": told, "recorded": f"{self.kept.version} {self.kept.script}"}


@dataclass(frozen=True)
class Score:
    """A set, or a family, in numbers."""

    name: str
    broken: int
    first: int
    line: int
    quiet: int
    accused: int

    def row(self) -> str:
        said = [f"{self.name:<28}", f"first {_of(self.first, self.broken):<18}"]
        said += [f"on the line {_of(self.line, self.broken):<18}", f"accused {_of(self.accused, self.quiet)}"]
        return "  ".join(said)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench replay", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[[], *SETS], metavar="SET", help=", ".join(SETS))
    parser.add_argument("--accept", action="store_true", help="make this replay the one to compare with")
    parser.add_argument("--misses", action="store_true", help="list what is judged wrongly")
    asked = parser.parse_args(arguments)
    replayed = replay(asked.sets or list(SETS))
    if not replayed:
        print("No evidence is kept of these sets; `python -m bench record` makes it.", file=sys.stderr)
        return 2
    print("\n".join(table(replayed)))
    if asked.misses:
        print("\n".join(_misses(replayed)))
    changes = list(changed(replayed, accepted()))
    print("\n".join(change.told for change in changes) or "No verdict changed.")
    if asked.accept:
        accept(replayed)
    return 1 if any(change.worse for change in changes) and not asked.accept else 0


def replay(sets: Iterable[str]) -> list[Replayed]:
    """All scripts of the sets of which evidence is kept, and which still read as they did then."""
    found = []
    for name in sets:
        known = kept.read(name)
        for script in kept.scripts(name):
            if script.name in known and known[script.name].script == kept.digest(script):
                found.append(Replayed(script, known[script.name]))
    return found


def table(replayed: Sequence[Replayed]) -> Iterator[str]:
    """By set, by family, then how far credences can be trusted."""
    for by in ("set", "family"):
        names = dict.fromkeys(getattr(entry.script, by) for entry in replayed)
        for name in names:
            yield score(name, [entry for entry in replayed if getattr(entry.script, by) == name]).row()
        yield score("all", replayed).row()
        yield ""
    yield f"Brier score of the first cause: {brier(replayed):.3f}"
    for low, high, count, right in reliability(replayed):
        yield f"  said {low:.0%} to {min(high, 1):.0%}: right in {_of(right, count)}"
    recorded = Counter(entry.kept.version for entry in replayed)
    yield f"Recorded by {len(recorded)} version(s) of Sleuth: {', '.join(recorded)}"


def score(name: str, replayed: Sequence[Replayed]) -> Score:
    broken = [entry for entry in replayed if entry.script.case is not None]
    quiet = [entry for entry in replayed if entry.script.case is None]
    return Score(
        name,
        len(broken),
        sum(entry.first for entry in broken),
        sum(entry.first and entry.on_line for entry in broken),
        len(quiet),
        sum(bool(entry.loud) for entry in quiet),
    )


def brier(replayed: Sequence[Replayed]) -> float:
    """Mean squared distance between how sure the first finding was and whether it was right."""
    told = [(entry.loud[0].credence, entry.first) for entry in replayed if entry.loud]
    return statistics.fmean((credence - right) ** 2 for credence, right in told) if told else float("nan")


def reliability(replayed: Sequence[Replayed]) -> Iterator[tuple[float, float, int, int]]:
    """How often what was said with a credence was right."""
    told = [(entry.loud[0].credence, entry.first) for entry in replayed if entry.loud]
    for low, high in BINS:
        inside = [right for credence, right in told if low <= credence < high]
        if inside:
            yield low, high, len(inside), sum(inside)


@dataclass(frozen=True)
class Change:
    """A script that is judged otherwise than it was."""

    told: str
    worse: bool


def changed(replayed: Iterable[Replayed], before: Mapping[str, Any]) -> Iterator[Change]:
    """Against the replay that was accepted last; a new record of a script is a new script."""
    for entry in replayed:
        was, now = before.get(entry.script.name), entry.summary
        if was is None or was["grade"] == now["grade"]:
            continue
        known = was["recorded"] == now["recorded"]
        worse = _rank(now["grade"]) < _rank(was["grade"])
        word = "worse" if worse else "better"
        why = "" if known else " (recorded anew)"
        told = (
            f"{word}: {entry.script.name}{why}: {was['grade']} {was['told']} -> {now['grade']} {now['told']}"
        )
        yield Change(told, worse)


def accepted() -> Mapping[str, Any]:
    table: Mapping[str, Any] = json.loads(ACCEPTED.read_text("utf-8")) if ACCEPTED.is_file() else {}
    return table


def accept(replayed: Iterable[Replayed]) -> None:
    """One line a script, so that a change of the weighing shows as a diff of verdicts."""
    keep(dict(accepted()) | {entry.script.name: entry.summary for entry in replayed})


def keep(told: Mapping[str, Any]) -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(told[name], ensure_ascii=False)}" for name in sorted(told)]
    ACCEPTED.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


def _misses(replayed: Iterable[Replayed]) -> Iterator[str]:
    for entry in replayed:
        good = "quiet" if entry.script.case is None else "first, on its line"
        if entry.grade != good:
            yield f"  {entry.grade}: {entry.script.name}: {entry.summary['told'] or entry.status}"


def _rank(grade: str) -> int:
    return (GRADES | QUIET_GRADES)[grade]


def _at(finding: Finding) -> str:
    line = finding.where.line if finding.where is not None else None
    return f" :{line}" if line else ""


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")

"""A diagnosis in words that the terminal and the page share."""

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from sleuth.report import (
    BudgetSpent,
    Hypothesis,
    LossSeen,
    Observation,
    PartSeen,
    Ran,
    Remark,
    Report,
    ScoreSeen,
    Tried,
)

Seen = TypeVar("Seen")

TITLES = {
    "cause-found": "Cause found",
    "nothing-found": "Nothing wrong found",
    "inconclusive": "No cause found",
    "crashed": "The script crashed",
}
_WRONG = {
    "non-finite": "Values are first not finite",
    "exploding": "Values first explode",
    "constant": "All rows are first equal",
    "dead": "All values are first zero",
}
_STATUS = {
    "finished": "ran to its end",
    "stopped": "was stopped there",
    "raised": "raised an exception",
    "exited": "left with an exit code",
    "killed": "was ended when the time was up",
    "died": "was ended by a signal",
    "wrote": "tried to write into your folder",
}
_LOOP = re.compile(r"\s*(?:async\s+)?(for\s+.+?(?=\s+in\b)|while\b)")
NAMED = 3  # loops, or tests that ruled something out; the rest is counted


def percent(share: float) -> str:
    return "<0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def of_kind(report: Report, kind: type[Seen]) -> list[Seen]:
    return [seen for seen in report.observations if isinstance(seen, kind)]


def ranked(report: Report) -> list[Hypothesis]:
    return sorted(report.hypotheses, key=lambda entry: -entry.credence)


def ruled_out(entry: Hypothesis) -> str:
    """`ruled out by same-batch`, where something spoke against the hypothesis."""
    return f"ruled out by {_listed(entry.closed_by)}" if entry.closed_by else ""


def watched(report: Report, script: str) -> str:
    """How far the first stretch went, and which loops were shortened for it."""
    for run in of_kind(report, Ran):
        text = f"Watched {run.steps} steps in {run.seconds:.1f} s"
        loops = [_loop(key, script) for key in run.shortened]
        return f"{text}; cut short: {_listed(loops)}." if loops else f"{text}."
    return ""


def bisected(report: Report) -> list[str]:
    """Where on the path from input to loss the values first go wrong."""
    return [_bisected(seen) for seen in of_kind(report, PartSeen)]


def _bisected(seen: PartSeen) -> str:
    line = f" ({Path(seen.path).name}:{seen.line})" if seen.path and seen.line else ""
    what = _WRONG.get(seen.what, f"Values are first {seen.what}")
    return f"{what} in module {seen.module}{line}, at step {seen.step}."


def spent(report: Report) -> str:
    """What the budget did not reach any more."""
    for seen in of_kind(report, BudgetSpent):
        if seen.spent and seen.next:
            twice = math.ceil(2 * report.timing.get("budget", 60.0) / 60)
            return f"The budget ran out before `{seen.next}`: try --budget {twice}m."
    return ""


def notes(report: Report) -> list[str]:
    return [seen.text for seen in of_kind(report, Remark) if seen.text]


def observed(report: Report, script: str) -> list[tuple[str, str]]:
    """What was seen, as (what, sentence)."""
    return [row for seen in report.observations if (row := _sentence(seen, report, script))]


def _sentence(seen: Observation, report: Report, script: str) -> tuple[str, str] | None:
    match seen:
        case Ran():
            return "The run", f"{watched(report, script)} It {_STATUS.get(seen.status, seen.status)}."
        case LossSeen():
            first, last, lowest = map(_number, (seen.first, seen.last, seen.lowest))
            return "Training loss", f"{first} at first, {last} at the end; {lowest} at its lowest."
        case PartSeen():
            return "On the path", _bisected(seen)
        case Remark():
            return "Note", seen.text
        case ScoreSeen():
            return seen.name, _number(seen.value)
    return None  # the budget has its own sentence


def question(name: str) -> str:
    """What an experiment asks."""
    from sleuth.experiments import named

    asked = named(name)
    return "" if asked is None else asked.question


def confirms(report: Report, name: str) -> list[str]:
    """The causes that an experiment confirmed."""
    return [f.cause for f in report.findings if f.severity != "note" and name in f.confirmed_by]


def of_no_weight(report: Report, experiment: Tried) -> str:
    """Why a yes is no accusation where nothing was found."""
    if report.verdict.status != "nothing-found" or experiment.answer != "yes":
        return ""
    if "better" in question(experiment.name):
        return "Not a fault: the model learns as it is. Worth trying nevertheless."
    return "By itself this is not a sign of a fault: healthy runs show it, too."


def _loop(key: str, script: str) -> str:
    """`for epoch` (train.py:9)."""
    path, _, line = key.rstrip("#").rpartition(":")
    name = Path(path).name
    head = _head(Path(path), line) or _head(Path(script).with_name(name), line)
    return f"`{head}` ({name}:{line})" if head else f"the loop at {name}:{line}"


def _head(path: Path, line: str) -> str:
    try:
        text = path.read_text("utf-8", errors="replace").splitlines()[int(line) - 1]
    except (OSError, ValueError, IndexError):
        return ""
    found = _LOOP.match(text)
    return found[1] if found else ""


def _listed(words: Sequence[str]) -> str:
    more = [f"{len(words) - NAMED} more"] if len(words) > NAMED else []
    *first, last = [*words[:NAMED], *more]
    return f"{', '.join(first)} and {last}" if first else last


def _number(value: float | None) -> str:
    return "not finite" if value is None else f"{value:.4g}"

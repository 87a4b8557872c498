"""A diagnosis in words that the terminal and the page share."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sleuth.finding import Report, Where

TITLES = {
    "cause-found": "Cause found",
    "nothing-found": "Nothing wrong found",
    "inconclusive": "No cause found",
    "crashed": "The script crashed",
}
_WRONG = {
    "non-finite": "Values are first not finite",
    "exploding": "Values first explode",
    "constant": "All rows first come out alike",
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


def place(where: Where) -> str:
    """`train.py:5, module net.2`."""
    cell = None if where.cell is None else f"cell {where.cell}"
    spot = ":".join(str(part) for part in (where.path, cell, where.line) if part is not None)
    return ", ".join(part for part in (spot, f"module {where.module}" if where.module else "") if part)


def percent(share: float) -> str:
    return "<0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def of_name(report: Report, name: str) -> list[Mapping[str, Any]]:
    return [seen for seen in report.observations if seen.get("name") == name]


def ranked(report: Report) -> list[Mapping[str, Any]]:
    return sorted(report.hypotheses, key=lambda entry: -float(entry["credence"]))


def ruled_out(entry: Mapping[str, Any]) -> str:
    """`ruled out by same-batch`, where something spoke against the hypothesis."""
    by = [str(name) for name in entry.get("closed_by") or ()]
    return f"ruled out by {_listed(by)}" if by else ""


def watched(report: Report, script: str) -> str:
    """How far the first stretch went, and which loops were shortened for it."""
    for run in of_name(report, "run"):
        text = f"Watched {run['steps']} steps in {run['seconds']:.1f} s"
        loops = [_loop(str(key), script) for key in run.get("shortened") or ()]
        return f"{text}; cut short: {_listed(loops)}." if loops else f"{text}."
    return ""


def bisected(report: Report) -> list[str]:
    """Where on the path from input to loss the values first go wrong."""
    return [_bisected(seen) for seen in of_name(report, "bisect")]


def _bisected(seen: Mapping[str, Any]) -> str:
    line = f" ({Path(seen['path']).name}:{seen['line']})" if seen.get("path") and seen.get("line") else ""
    what = _WRONG.get(str(seen["what"]), f"Values are first {seen['what']}")
    return f"{what} in module {seen['module']}{line}, at step {seen['step']}."


def spent(report: Report) -> str:
    """What the budget did not reach any more."""
    for seen in of_name(report, "budget"):
        if seen.get("spent") and seen.get("next"):
            twice = math.ceil(2 * report.timing.get("budget", 60.0) / 60)
            return f"The budget ran out; next would be `{seen['next']}`: try --budget {twice}m."
    return ""


def notes(report: Report) -> list[str]:
    return [str(seen["text"]) for seen in of_name(report, "note") if seen.get("text")]


def observed(report: Report, script: str) -> list[tuple[str, str]]:
    """What was seen, as (what, sentence)."""
    return [row for seen in report.observations if (row := _sentence(seen, report, script))]


def _sentence(seen: Mapping[str, Any], report: Report, script: str) -> tuple[str, str] | None:
    match seen.get("name"):
        case "run":
            status = _STATUS.get(str(seen.get("status")), str(seen.get("status")))
            return "The run", f"{watched(report, script)} It {status}."
        case "loss" if "first" in seen:
            first, last, lowest = (_number(seen[key]) for key in ("first", "last", "lowest"))
            return "Training loss", f"{first} at first, {last} at the end; {lowest} at its lowest."
        case "bisect":
            return "On the path", _bisected(seen)
        case "budget":
            return None  # has its own sentence
        case "note":
            return "Note", str(seen.get("text", ""))
        case name if "value" in seen:
            return str(name), _number(seen["value"])
    rest = ", ".join(f"{key} {value}" for key, value in seen.items() if key != "name")
    return str(seen.get("name", "")), rest


def question(name: str) -> str:
    """What an experiment asks."""
    from sleuth.judge.experiments import named

    asked = named(name)
    return "" if asked is None else asked.question


def confirms(report: Report, name: str) -> list[str]:
    """The causes that an experiment confirmed."""
    return [f.cause for f in report.findings if f.severity != "note" and name in f.confirmed_by]


def of_no_weight(report: Report, experiment: Mapping[str, Any]) -> str:
    """Why a yes is no accusation where nothing was found."""
    if report.verdict.status != "nothing-found" or experiment["answer"] != "yes":
        return ""
    if "better" in question(str(experiment["name"])):
        return "Not a fault: it learns as it is. Worth a try all the same."
    return "By itself this is no sign of a fault: healthy runs show it, too."


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

"""What is typed above the list of runs: `status:failed lr>0.01 since:2d`, and plain words."""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sleuth.archive.run import STATUSES
from sleuth.archive.when import moment
from sleuth.errors import SleuthError, did_you_mean
from sleuth.ui.lines import Line

Test = Callable[[Line], bool]
Column = Callable[[str], Mapping[str, tuple[float, float, float]]]

_COMPARISON = re.compile(r"([^\s<>=!:]+)(<=|>=|!=|<|>|=)(\S+)")
SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass(frozen=True)
class Asked:
    """The tests a run must pass, and what could not be understood."""

    tests: tuple[Test, ...] = ()
    problem: str = ""

    def fits(self, found: Line) -> bool:
        return all(test(found) for test in self.tests)


def asked(text: str, column: Column, now: datetime) -> Asked:
    """Every word narrows the list. While somebody types, half a word is no error, only told beside it."""
    tests: list[Test] = []
    problem = ""
    for word in _words(text):
        try:
            tests.append(_test(word, column, now))
        except SleuthError as error:
            problem = str(error)
    return Asked(tuple(tests), problem)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a quote that is not closed yet
        return text.replace('"', " ").replace("'", " ").split()


def _test(word: str, column: Column, now: datetime) -> Test:
    if word.startswith("-") and len(word) > 1:
        inner = _test(word[1:], column, now)
        return lambda found: not inner(found)
    if comparison := _COMPARISON.fullmatch(word):
        return _comparison(comparison[1], comparison[2], comparison[3], column, now)
    key, colon, value = word.partition(":")
    if colon and value and key in KEYS:
        return KEYS[key](value, now)
    if colon and key in KEYS:
        return lambda found: True  # the value is still to come
    lowered = word.lower()
    return lambda found: lowered in found.haystack or lowered in found.status


def _comparison(name: str, sign: str, text: str, column: Column, now: datetime) -> Test:
    compare = SIGNS[sign]
    try:
        wanted = float(text)
    except ValueError:
        if sign not in ("=", "!="):
            raise SleuthError(f"{text!r} is no number to compare {name} with.") from None
        return lambda found: (str(found.settings.get(name, "")).lower() == text.lower()) == (sign == "=")
    told = {**column(f"step/{name}"), **column(name)}

    def test(found: Line) -> bool:
        value = _value(found, name, told, now)
        return value is not None and compare(value, wanted)

    return test


def _value(
    found: Line, name: str, told: Mapping[str, tuple[float, float, float]], now: datetime
) -> float | None:
    """A setting of that name, else the last value of a series, else a number that every run has."""
    setting = found.settings.get(name)
    if isinstance(setting, (int, float)):
        return float(setting)
    if found.id in told:
        return told[found.id][0]
    if name == "steps":
        return None if found.steps is None else float(found.steps)
    return found.seconds(now.timestamp()) if name in ("seconds", "duration") else None


def _status(value: str, now: datetime) -> Test:
    if not any(status.startswith(value) for status in STATUSES):
        raise SleuthError(f"There is no status {value!r}.{did_you_mean(value, STATUSES)}")
    return lambda found: found.status.startswith(value)


def _cause(value: str, now: datetime) -> Test:
    if value in ("none", "any"):
        return lambda found: bool(found.causes) == (value == "any")
    return lambda found: any(value in cause for cause in (*found.causes, *found.noted))


def _since(value: str, now: datetime) -> Test:
    begin = moment(value, now)
    return lambda found: found.started >= begin


def _until(value: str, now: datetime) -> Test:
    end = moment(value, now)
    return lambda found: found.started < end


def _part(read: Callable[[Line], Iterable[str]]) -> Callable[[str, datetime], Test]:
    def make(value: str, now: datetime) -> Test:
        lowered = value.lower()
        return lambda found: any(lowered in text.lower() for text in read(found))

    return make


def _is(value: str, now: datetime) -> Test:
    known: Mapping[str, Test] = {
        "starred": lambda found: found.marks.star,
        "live": lambda found: found.live,
        "noted": lambda found: bool(found.marks.note),
    }
    if value not in known:
        raise SleuthError(f"is: knows {', '.join(known)}, not {value!r}.{did_you_mean(value, known)}")
    return known[value]


KEYS: Mapping[str, Callable[[str, datetime], Test]] = {
    "status": _status,
    "cause": _cause,
    "since": _since,
    "until": _until,
    "script": _part(lambda found: (found.script,)),
    "tag": _part(lambda found: found.marks.tags),
    "note": _part(lambda found: (found.marks.note,)),
    "id": _part(lambda found: (found.id,)),
    "kind": _part(lambda found: (found.kind,)),
    "is": _is,
}

"""Metrics a script prints or logs: numbers with a name, read from its own lines."""

import builtins
import logging
import re
from collections.abc import Iterator
from typing import Any

from sleuth.record.entries import Metric
from sleuth.watching.state import State

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|nan|inf|-inf"
_VALUE = r"(?:nan|inf)\b"  # a word that is no name: "3 nan 0.5" names nothing, "loss nan acc 0.5" two values
NAMED = re.compile(
    rf"(?P<name>(?<![A-Za-z0-9])(?!{_VALUE})[A-Za-z][A-Za-z0-9_/@.%-]*"
    rf"(?:[ \t]+(?!{_VALUE})[A-Za-z][A-Za-z0-9_/@.-]*){{0,3}})"
    rf"['\"]?\s*(?:[:=]|\bis\b)?\s*(?<![\w.])(?P<value>{NUMBER})(?:/(?P<of>\d+(?!\.?\d)))?"
    rf"(?P<percent>\s?%)?(?![\w])",
    re.IGNORECASE,
)
LONGEST = 2000  # characters of a line that is read
MOST_A_LINE = 24
MOST_OF_ONE = 100_000  # values of one name, then ever more rarely
MOST_NAMES = 5000  # names that hold a counter ("item17 loss") are never the same twice
COUNTERS = frozenset("epoch step iter iteration batch it global_step".split())


def read(text: str) -> Iterator[tuple[str, float]]:
    """The numbers of a line that carry a name; percentages are kept as they were printed."""
    for count, found in enumerate(NAMED.finditer(text[:LONGEST])):
        if count >= MOST_A_LINE:
            return
        name = " ".join(found["name"].lower().split())
        yield name, float(found["value"]) / _whole(name, found["of"])


def _whole(name: str, of: str | None) -> float:
    """What a number is a part of: "accuracy 355/360" says 0.986, and "epoch 3/10" the third."""
    return float(of or 0) or 1.0 if not COUNTERS.intersection(name.split()) else 1.0


def attach(state: State, patches: Any) -> None:
    inside = [False]

    def printing(original: Any) -> Any:
        def print(*values: Any, **options: Any) -> Any:  # noqa: A001
            if not inside[0] and not state.off and not state.logging and options.get("file") is None:
                inside[0] = True
                try:
                    seen(state, options.get("sep") or " ", values)
                except Exception as error:
                    state.give_up(error)
                finally:
                    inside[0] = False
            return original(*values, **options)

        return print

    def logging_(original: Any) -> Any:
        def handle(self: Any, record: Any) -> Any:
            try:
                if not (state.off or state.logging or inside[0]) and state.places.owns(record.pathname):
                    note(state, record.getMessage(), "stdout")
            except Exception as error:
                state.give_up(error)
            return original(self, record)

        return handle

    patches.replace(builtins, "print", printing)
    patches.replace(logging.Logger, "handle", logging_)


def seen(state: State, separator: str, values: tuple[Any, ...]) -> None:
    """Read the line only if it can be made without side effects: strings and numbers."""
    if all(isinstance(value, (str, int, float)) or type(value).__name__ == "Tensor" for value in values):
        note(state, str(separator).join(str(value) for value in values), "stdout")


def note(state: State, text: str, source: str) -> None:
    if not any(character.isdigit() or character in "nN" for character in text[:LONGEST]):
        return
    line = -1
    for name, value in read(text):
        line = state.places.here()[1] if line < 0 else line
        put(state, name, value, line, source)


def put(state: State, name: str, value: float, line: int, source: str) -> None:
    key = (name, line)
    count = state.metrics.get(key, 0) + 1
    if count == 1 and len(state.metrics) >= MOST_NAMES:
        return
    state.metrics[key], state.latest[name] = count, (state.n, value)
    if count <= MOST_OF_ONE or count & (count - 1) == 0:
        state.put(Metric(name, value, state.n, round(state.now(), 4), line, source))

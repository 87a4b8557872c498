"""A run as a line of the list, made from the facts in its folder, whatever stands there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.archive.marks import Marks
from sleuth.archive.run import Run, Status
from sleuth.sweeping.sources.archived import settings_in

LONGEST = 400  # signs of a word that a list shows


@dataclass(frozen=True, slots=True)
class Line:
    """What the list shows of a run, and what it can be found by."""

    run: Run
    home: int
    status: Status
    started: float
    ended: float | None
    script: str
    words: tuple[str, ...]  # the command as it was typed
    settings: Mapping[str, str | float | bool]
    causes: tuple[str, ...]  # that were found; what is merely worth knowing is in `noted`
    noted: tuple[str, ...]
    verdict: str
    kind: str
    steps: int | None
    marks: Marks
    haystack: str  # what plain words are looked for in
    stamp: str  # changes when a file of the run's folder is written anew

    @property
    def id(self) -> str:
        return self.run.id

    @property
    def live(self) -> bool:
        return self.status == "running"

    def seconds(self, now: float) -> float:
        return max(0.0, (now if self.live else self.ended or self.started) - self.started)

    @property
    def name(self) -> str:
        """The script as people call it."""
        return Path(self.script).name or self.script


def line(
    run: Run, home: int, status: Status, meta: Mapping[str, Any], steps: int | None, marks: Marks, stamp: str
) -> Line:
    words = tuple(_text(word) for word in _list(meta.get("command")))
    script = _text(meta.get("script") if isinstance(meta.get("script"), str) else " ".join(words[:2]) or "?")
    return Line(
        run=run,
        home=home,
        status=status,
        started=_time(meta.get("started")) or 0.0,
        ended=_time(meta.get("ended")),
        script=script,
        words=words,
        settings=settings(asked_of(script, words)),
        causes=_causes(meta, noted=False),
        noted=_causes(meta, noted=True),
        verdict=_verdict(meta),
        kind=_text(meta.get("kind") or ""),
        steps=steps if isinstance(steps, int) else None,
        marks=marks,
        haystack=" ".join((run.id, *words, script, marks.note, *marks.tags, *_causes(meta, False))).lower(),
        stamp=stamp,
    )


def asked_of(script: str, words: Sequence[str]) -> Sequence[str]:
    """The words behind the script: what stands before it was asked of Python or of Sleuth."""
    name = Path(script).name
    at = next((place for place, word in enumerate(words) if name and Path(word).name == name), 0)
    return words[at + 1 :]


def settings(words: Sequence[str]) -> dict[str, str | float | bool]:
    """`--lr 0.1` and the like."""
    found: dict[str, str | float | bool] = {}
    for name, value in settings_in(words):
        found[name] = value if isinstance(value, (bool, int, float)) else _text(value)
    return found


def _verdict(meta: Mapping[str, Any]) -> str:
    summary = meta.get("summary")
    verdict = summary.get("verdict") if isinstance(summary, Mapping) else None
    if isinstance(verdict, Mapping):
        return _text(verdict.get("summary") or "", 2000)
    return ""


def _causes(meta: Mapping[str, Any], noted: bool) -> tuple[str, ...]:
    findings = [told for told in _list(meta.get("findings")) if isinstance(told, Mapping)]
    chosen = (told.get("cause") for told in findings if (told.get("severity") == "note") == noted)
    return tuple(dict.fromkeys(_text(cause) for cause in chosen if isinstance(cause, str) and cause))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _time(value: object) -> float | None:
    """Seconds since 1970, within what a calendar can tell."""
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 2e11
    return float(value) if fits and isinstance(value, (int, float)) else None


def _text(value: object, most: int = LONGEST) -> str:
    text = str(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"

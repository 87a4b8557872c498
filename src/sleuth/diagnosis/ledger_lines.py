"""The lines of a ledger and their shapes: what stands in one that is used, and what is wrong with another."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from sleuth.judge.words import WORDS
from sleuth.shapes import Damage, Moment, Within, content, from_json, shaped

Weight = Annotated[float, Within(1e-9, 1e9)]
Share = Annotated[float, Within(0, 1)]


def _likelihood(word: str) -> str:
    if word in WORDS:
        return word
    raise ValueError(f"is {word[:40]!r}, none of {', '.join(WORDS)}")


Word = Annotated[str, _likelihood]


@dataclass(frozen=True)
class Opened:
    title: str
    catalog: bool = False
    priors: Literal["measured", "folklore"] = "measured"
    shares: Mapping[str, Share] | None = None


@dataclass(frozen=True)
class Hypothesis:
    name: str
    prior: Weight = 1.0
    refuted_by: str = ""


@dataclass(frozen=True)
class Test:
    name: str
    question: str = ""
    healthy: Word = "rarely"
    group: str = ""
    cost: Weight = 1.0
    likelihoods: Mapping[str, Word] | None = None


@dataclass(frozen=True)
class Observed:
    test: str
    answer: str
    note: str = ""


@dataclass(frozen=True)
class Clue:
    cause: str
    technique: str
    strength: Share


@dataclass(frozen=True)
class Other:
    """A line that nothing is computed from, such as the verdict."""

    kind: str
    at: Moment | None = None


SHAPES: Mapping[str, type[Any]] = {
    "opened": Opened,
    "hypothesis": Hypothesis,
    "test": Test,
    "observed": Observed,
    "clue": Clue,
}


@dataclass(frozen=True)
class Lines:
    """Those that fit, as they stand there, oldest first; and a sentence for each that does not."""

    known: tuple[Mapping[str, Any], ...]
    damage: tuple[str, ...] = ()


def read(path: Path) -> Lines:
    data = content(path)
    if isinstance(data, Damage):
        return Lines((), (f"{data}.",))
    found = [
        _line(f"Line {number}", text) for number, text in enumerate(data.split(b"\n"), 1) if text.strip()
    ]
    bad = tuple(f"{one}. It is left out." for one in found if isinstance(one, Damage))
    return Lines(tuple(one for one in found if not isinstance(one, Damage)), bad)


def _line(place: str, text: bytes) -> Mapping[str, Any] | Damage:
    value: Any = from_json(text, place)
    if isinstance(value, Damage):
        return value
    kind = value.get("kind") if isinstance(value, dict) else None
    fits = shaped(SHAPES.get(str(kind), Other), value, place)
    return fits if isinstance(fits, Damage) else dict(value)

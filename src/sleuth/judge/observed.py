"""What was seen of one script: all that a verdict is made of, as plain data.

It is gathered while the script runs and can be kept and weighed again, years later and without torch.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from sleuth.experiments import Experiment, called
from sleuth.finding import Evidence
from sleuth.record.outcome import Course, Score


@dataclass(frozen=True)
class Outcome:
    """One experiment that was made. `yes` is None where it said nothing; `seen`: what was seen, in words."""

    experiment: Experiment
    yes: bool | None = None
    seen: str = ""
    seconds: float = 0.0
    course: Course | None = None
    scores: tuple[Score, ...] = ()

    @property
    def figures(self) -> str:
        """The numbers of `seen`, without the words of the answer that stand before them."""
        words, opened, numbers = self.seen.partition(" (")
        return numbers.removesuffix(")") if opened else words


@dataclass(frozen=True)
class Guessing:
    """An evaluation after training that is right no more often than guessing is."""

    line: int
    correct: float
    rows: int


@dataclass(frozen=True)
class Ended:
    """How the script's own run ended; the statuses are those of the stage."""

    status: str
    steps: int = 0
    seconds: float = 0.0
    exception: str = ""
    message: str = ""
    frames: tuple[tuple[str, int, str], ...] = ()  # the user's, innermost last
    cut: bool = False  # its loops were shortened
    out_of_time: bool = False
    unrecorded: str = ""  # why what was seen could not be written to its end

    @property
    def by_itself(self) -> bool:
        """Whether the script crashed on its own account."""
        return self.status == "died" or (self.status in ("raised", "exited") and not self.cut)


@dataclass(frozen=True)
class Observed:
    """Evidence, answers, circumstances, and how the run went.

    `circumstances` are the names of those that hold (see `sleuth.diagnosis.circumstances`); `moving` the
    parts of the model that are named in the evidence and learn all the same.
    """

    evidence: tuple[Evidence, ...] = ()  # of lint, watch and probe, as the detectors gave it
    from_experiments: tuple[Evidence, ...] = ()
    outcomes: tuple[Outcome, ...] = ()  # in the order they were made
    circumstances: frozenset[str] = frozenset()
    moving: frozenset[str] = frozenset()
    steps: int = 0
    losses: int = 0  # of the loss that is followed
    course: Course | None = None
    scores: tuple[Score, ...] = ()
    guessing: Guessing | None = None
    torch: bool = True  # the script uses it
    recorded: bool = True
    ended: Ended | None = None
    prior: str = "measured"
    shares: Mapping[str, float] = field(default_factory=dict)  # by cause or family, given by the user

    def outcome(self, experiment: str) -> Outcome | None:
        return next((made for made in self.outcomes if made.experiment.name == experiment), None)

    def answer(self, experiment: str) -> bool | None:
        """The answer of an experiment; None where it was not made or said nothing."""
        made = self.outcome(experiment)
        return None if made is None else made.yes

    def undoing(self, cause: str) -> Outcome | None:
        """What came of taking that cause back."""
        return next((made for made in self.outcomes if made.experiment.cause == cause), None)

    def undone(self, cause: str) -> bool | None:
        """Whether taking that cause back made the script do better; None where it was not tried."""
        made = self.undoing(cause)
        return None if made is None else made.yes

    def to_dict(self) -> dict[str, Any]:
        told: dict[str, Any] = _json_ready(_given(vars(self)))
        return told

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        given = dict(data)
        for name in ("evidence", "from_experiments"):
            given[name] = tuple(Evidence.from_dict(_given(entry)) for entry in given.get(name, ()))
        given["outcomes"] = tuple(_outcome(entry) for entry in given.get("outcomes", ()))
        given["scores"] = tuple(_rebuilt(Score, entry) for entry in given.get("scores", ()))
        for name in ("circumstances", "moving"):
            given[name] = frozenset(given.get(name, ()))
        for name, kind in (("course", Course), ("guessing", Guessing), ("ended", Ended)):
            given[name] = _rebuilt(kind, given[name]) if given.get(name) is not None else None
        observed: Self = _rebuilt(cls, given)
        return observed


def _outcome(entry: Mapping[str, Any]) -> Outcome:
    course = None if entry.get("course") is None else _rebuilt(Course, entry["course"])
    scores = tuple(_rebuilt(Score, score) for score in entry.get("scores", ()))
    experiment = called(entry["experiment"])
    rebuilt = {**entry, "experiment": experiment, "course": course, "scores": scores}
    outcome: Outcome = _rebuilt(Outcome, rebuilt)
    return outcome


def _rebuilt(kind: Any, data: Mapping[str, Any]) -> Any:
    """An object of that class from what JSON made of it: words for numbers become numbers again."""
    types = {entry.name: str(entry.type) for entry in fields(kind)}
    return kind(**{name: _restored(value, types[name]) for name, value in data.items() if name in types})


def _restored(value: Any, kind: str) -> Any:
    if "float" in kind and value in ("nan", "inf", "-inf"):
        return float(value)
    if "tuple[tuple" in kind:
        return tuple(tuple(part) for part in value)
    return value


def _json_ready(value: Any) -> Any:
    """What JSON can hold: five digits of a number, words for those it does not know."""
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else str(value)
    if isinstance(value, Evidence):
        return _json_ready(_plain_evidence(value))
    if isinstance(value, Mapping):
        return {str(name): _json_ready(part) for name, part in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, (tuple, list)):
        return [_json_ready(part) for part in value]
    if isinstance(value, Experiment):
        return value.name
    if isinstance(value, (Course, Score, Outcome, Guessing, Ended)):
        return _json_ready(_given(vars(value)))
    return value


LEFT_OUT = ("edits",)  # of no use here


def _plain_evidence(evidence: Evidence) -> dict[str, Any]:
    """What is there of it; `unless` may be there and empty."""
    told = {name: part for name, part in evidence.to_dict().items() if name not in LEFT_OUT}
    told["where"] = None if evidence.where is None else _given(evidence.where.to_dict())
    kept = ("message", "telling", "unless")
    return {name: part for name, part in told.items() if name in kept or part not in (None, "", [], {})}


def _given(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is not there."""
    return {name: part for name, part in parts.items() if part is not None and part not in ((), frozenset())}

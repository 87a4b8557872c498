"""The ledger of a case: observations are appended and never edited; credences are replayed from them.

One file of JSON lines a case, in the archive's home. `sleuth diagnose` writes one for every script it looks
at; `sleuth case` keeps one by hand for things Sleuth cannot run.
"""

import itertools
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sleuth import catalog
from sleuth.archive.home import home_folder, make_home
from sleuth.diagnosis import ledger_lines
from sleuth.errors import SleuthError, did_you_mean
from sleuth.experiments import UNDO, Experiment, experiments, named
from sleuth.judge.board import PRIOR_NOTHING, PRIOR_OTHER, Answer, Clue, Prior, best_next, credences, priors
from sleuth.judge.experiments import NOTHING, OTHER
from sleuth.judge.words import WORDS

ANSWERS = ("yes", "no", "withdrawn")
EVERY_CAUSE = 0.25  # share of the board that the catalog keeps beside hypotheses written by hand


@dataclass(frozen=True)
class Ledger:
    """The lines of a case, oldest first."""

    path: Path
    lines: tuple[Mapping[str, Any], ...] = ()
    damage: tuple[str, ...] = ()  # what of the file cannot be read, in sentences

    def of(self, kind: str) -> list[Mapping[str, Any]]:
        return [line for line in self.lines if line.get("kind") == kind]

    @property
    def title(self) -> str:
        opened = self.of("opened")
        return str(opened[0]["title"]) if opened else self.path.stem

    def prior(self) -> Prior:
        """Hypotheses written by hand share the board; with `catalog` its causes are on it, too."""
        own = {str(line["name"]): float(line.get("prior", 1.0)) for line in self.of("hypothesis")}
        opened = self.of("opened")[0] if self.of("opened") else {}
        known: dict[str, float] = {}
        if opened.get("catalog"):
            known |= priors(str(opened.get("priors", "measured")), opened.get("shares"))
        if not own:
            return known or {NOTHING: PRIOR_NOTHING, OTHER: 1 - PRIOR_NOTHING}
        share = 1 - PRIOR_OTHER - PRIOR_NOTHING
        share *= 1 - EVERY_CAUSE if known else 1
        scaled = {name: weight / sum(own.values()) * share for name, weight in own.items()}
        rest = {
            name: weight * EVERY_CAUSE for name, weight in known.items() if name not in (NOTHING, OTHER, *own)
        }
        return {NOTHING: PRIOR_NOTHING, OTHER: PRIOR_OTHER} | rest | scaled

    def tests(self) -> dict[str, Experiment]:
        """The experiments that stand in the ledger, and those every case has."""
        written = {str(line["name"]): _test(line) for line in self.of("test")}
        opened = self.of("opened")[0] if self.of("opened") else {}
        return (dict(experiments()) if opened.get("catalog") else {}) | written

    def answers(self) -> list[Answer]:
        """The last word on each test; an observation that was taken back does not count."""
        last: dict[str, Mapping[str, Any]] = {}
        for line in self.of("observed"):
            last.pop(str(line["test"]), None)
            last[str(line["test"])] = line
        tests = self.tests()
        known = [(tests.get(name) or named(name), str(line["answer"])) for name, line in last.items()]
        return [Answer(test, {"yes": True, "no": False}.get(said)) for test, said in known if test]

    def clues(self) -> list[Clue]:
        """The last word on each cause by each technique."""
        last = {(str(line["cause"]), str(line["technique"])): line for line in self.of("clue")}
        return [Clue(*key, float(line["strength"])) for key, line in last.items()]

    def board(self) -> dict[str, float]:
        return credences(self.prior(), self.clues(), self.answers())


def _test(line: Mapping[str, Any]) -> Experiment:
    name = str(line["name"])
    return Experiment(
        name,
        str(line.get("question", name)),
        f"{name}: yes",
        f"{name}: no",
        str(line.get("healthy", "rarely")),
        str(line.get("group", name)),
        float(line.get("cost", 1.0)),
        dict(line.get("likelihoods") or {}),
    )


def folder(home: Path | None = None) -> Path:
    return home_folder(home) / "cases"


def open_case(title: str, with_catalog: bool, home: Path | None = None, **more: Any) -> Ledger:
    """A new case; its name is made from its title."""
    place = folder(home)
    make_home(home_folder(home))
    place.mkdir(parents=True, exist_ok=True)
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40] or "case"
    for count in itertools.count(1):
        path = place / (f"{stem}.jsonl" if count == 1 else f"{stem}-{count}.jsonl")
        with suppress(FileExistsError):
            path.touch(exist_ok=False)  # two that begin at once are two cases
            break
    return append(Ledger(path), {"kind": "opened", "title": title, "catalog": with_catalog, **more})


def append(ledger: Ledger, line: Mapping[str, Any]) -> Ledger:
    """Add a line at the end of the file; what stands there is never touched."""
    dated = {**line, "at": round(time.time(), 3)}
    text = json.dumps(dated, ensure_ascii=False) + "\n"
    handle = os.open(ledger.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
    return Ledger(ledger.path, (*ledger.lines, dated), ledger.damage)


def find_case(name: str | None, home: Path | None = None) -> Ledger:
    """A case by its name; without one the case that was written to last."""
    known = sorted(folder(home).glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    if not known:
        raise SleuthError("There is no case yet; begin with `sleuth case open TITLE`.")
    if name is None:
        return read_case(known[-1])
    for path in known:
        if path.stem == name:
            return read_case(path)
    raise SleuthError(f"There is no case named {name!r}.{did_you_mean(name, [path.stem for path in known])}")


def cases(home: Path | None = None) -> list[Ledger]:
    return [read_case(path) for path in sorted(folder(home).glob("*.jsonl"))]


def read_case(path: Path) -> Ledger:
    found = ledger_lines.read(path)
    ledger = Ledger(path, found.known, found.damage)
    return replace(ledger, damage=(*found.damage, *_strangers(ledger)))


def _strangers(ledger: Ledger) -> Iterator[str]:
    """Observations of tests that nothing tells of: their line was damaged, or is of a newer version."""
    tests = ledger.tests()
    for name in dict.fromkeys(str(line["test"]) for line in ledger.of("observed")):
        if name not in tests and named(name) is None:
            yield f"No line says what the test {name!r} is. What was observed of it is left out."


def observe(ledger: Ledger, test: str, answer: str, note: str) -> Ledger:
    """Write down what a test showed; the test must stand in the case, or take back one of its hypotheses."""
    asked = named(test)
    suspect = asked.cause if asked is not None and asked.kind == UNDO else None
    if answer not in ANSWERS:
        raise SleuthError(f"A reply is {', '.join(ANSWERS)}, not {answer!r}.")
    if test not in ledger.tests() and suspect is None:
        raise SleuthError(
            f"There is no test named {test!r} in this case.{did_you_mean(test, ledger.tests())}"
        )
    if suspect is not None and suspect not in ledger.prior():
        raise SleuthError(
            f"There is no hypothesis named {suspect!r} in this case.{did_you_mean(suspect, ledger.prior())}"
        )
    return append(ledger, {"kind": "observed", "test": test, "answer": answer, "note": note})


def status(ledger: Ledger) -> "Status":
    """The board as it is, and which test tells most for its cost."""
    board = ledger.board()
    answered = {answer.experiment.name for answer in ledger.answers() if answer.yes is not None}
    waiting = [test for name, test in ledger.tests().items() if name not in answered]
    return Status(ledger, board, *(best_next(board, waiting, 1.0) or (None, 0.0)))


def hypothesis(name: str, weight: float, refuted_by: str) -> Mapping[str, Any]:
    if not weight > 0:
        raise SleuthError(f"A prior is a weight above 0, not {weight:g}.")
    return {"kind": "hypothesis", "name": name, "prior": weight, "refuted_by": refuted_by}


def written_test(
    name: str, question: str, cost: float, likelihoods: Mapping[str, str], known: Mapping[str, float]
) -> Mapping[str, Any]:
    """A test with a word for each hypothesis it speaks about."""
    if not cost > 0:
        raise SleuthError(f"A cost is above 0, in the unit of all costs of the case, not {cost:g}.")
    for hypothesis_name, word in likelihoods.items():
        if word not in WORDS:
            raise SleuthError(f"{word!r} is no likelihood; the words are {', '.join(WORDS)}.")
        if hypothesis_name not in known and hypothesis_name not in catalog.causes():
            raise SleuthError(
                f"There is no hypothesis {hypothesis_name!r} in this case."
                f"{did_you_mean(hypothesis_name, known)}"
            )
    return {
        "kind": "test",
        "name": name,
        "question": question,
        "cost": cost,
        "likelihoods": dict(likelihoods),
    }


@dataclass(frozen=True)
class Status:
    """The board of a case, and the test to make next."""

    ledger: Ledger
    board: Mapping[str, float] = field(default_factory=dict)
    next_test: Experiment | None = None
    bits: float = 0.0

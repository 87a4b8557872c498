"""Finds the causes, tells what sees what, and stamps a cause's name on what its detectors yield.

A cause is a module `causes/<family>/<slug>.py`: its docstring is the page, its functions are the techniques
that can see it. One that has much to say is a folder of that name, with all of this in its `__init__.py`.
There is no registry: what stands in the folder is the catalog. A project may have causes of its own beside
these (see `sleuth.own_causes`).
"""

import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from sleuth.errors import DetectorFailed, SleuthError, did_you_mean
from sleuth.finding import Evidence
from sleuth.own_causes import check_families, load, own_folders
from sleuth.quick_dataclass import dataclass, replace
from sleuth.report import Examined

if TYPE_CHECKING:
    from sleuth.page import Page

FOLDER = Path(__file__).parent / "causes"

# Function name in a cause's module → the word its page uses for that way of seeing. What each is given:
TECHNIQUES: Mapping[str, str] = {
    "lint": "lint",  # a source, read and never run
    "probe": "probe",  # a model, one batch and a loss
    "watch": "watch",  # the record of a run
    "experiment": "experiment",  # what came of the experiments
    "undo": "experiment",  # a world in which it is to be taken back
    "stuck": "probe",  # the answers to why one metric stands still
    "sweep": "experiment",  # the seeds of one setting, where their outcomes fall apart
    "probe_agent": "probe",  # what an agent learnt in worlds with known answers
    "check_env": "probe",  # how an environment was played
    "check_sums": "probe",  # what a function made of returns or advantages
    "check_normalizer": "probe",  # what a running normaliser did with known data
    "watch_agent": "watch",  # what an agent logged while it learnt
    "watch_seeds": "experiment",  # the last returns of several seeds
}
# How a finding says by what it was seen, where that is not the function's name.
SHOWN_AS: Mapping[str, str] = {
    "stuck": "probe",
    "probe_agent": "probe",
    "check_env": "check",
    "check_sums": "probe",
    "check_normalizer": "probe",
    "watch_agent": "watch",
    "watch_seeds": "watch",
}
# The ways of seeing that pages name, each once.
WAYS: tuple[str, ...] = tuple(dict.fromkeys(TECHNIQUES.values()))


@dataclass(frozen=True)
class Family:
    """A shelf of the catalog. Shares are None where a family is outside the prior set."""

    name: str
    title: str
    folklore: float | None = None
    measured: float | None = None
    settings: bool = False  # numbers that a person chooses, to be blamed last
    asks: bool = False  # what the source shows of it counts only with an experiment, where one can ask


@dataclass(frozen=True)
class Source:
    """A work that pages lean on."""

    key: str
    author: str
    title: str
    year: int
    link: str


@dataclass(frozen=True)
class Cause:
    """One way training goes wrong. The module behind it is imported on first use."""

    slug: str
    family: str

    file: str = ""  # within the folder of its family
    folder: Path = FOLDER  # that of all families

    @property
    def path(self) -> Path:
        return self.folder / self.family / self.file

    @cached_property
    def code(self) -> bytes:
        """The source of its module; as bytes, since every lint reads those of all causes."""
        with open(f"{self.folder}/{self.family}/{self.file}", "rb", buffering=0) as file:
            return file.read()

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The words (`NEEDS = "..."`) without any of which its `lint` has nothing to say; () for none.

        Read from the text: a rule that cannot apply is not even loaded.
        """
        words = self.code.partition(b'\nNEEDS = "')[2].partition(b'"')[0]
        return tuple(words.decode().split())

    @cached_property
    def module(self) -> ModuleType:
        name = f"{self.family}.{self.slug.replace('-', '_')}"
        if self.folder != FOLDER:
            return load(f"causes_of_its_own.{name}", self.path)
        return import_module(f"sleuth.causes.{name}")

    @cached_property
    def page(self) -> "Page":
        from sleuth.page import read_page

        return read_page(self.module.__doc__ or "")

    @property
    def detectors(self) -> tuple[str, ...]:
        """The techniques that are built, by function name."""
        return tuple(name for name in TECHNIQUES if callable(getattr(self.module, name, None)))

    @cached_property
    def references(self) -> tuple[str, ...]:
        """The works its page leans on, short."""
        known = sources()
        works = (known[entry.key] for entry in self.page.citations if entry.key in known)
        return tuple(f"{work.author} ({work.year}), {work.title}" for work in works)

    @property
    def described(self) -> tuple[str, ...]:
        """The ways of seeing that the page describes, built or not."""
        return tuple(word for word in WAYS if word in self.page.tells)


@cache
def causes() -> Mapping[str, Cause]:
    """Every cause by slug, family by family in the order of `families.toml`."""
    found: dict[str, Cause] = {}
    for cause in _all_causes(_family_names()):
        if (other := found.setdefault(cause.slug, cause)) is not cause:
            raise SleuthError(f"Two causes are called {cause.slug!r}: {other.path} and {cause.path}.")
    return found


def _all_causes(families: Sequence[str]) -> Iterator[Cause]:
    own = own_folders()
    for folder in own:
        check_families(folder, families)
    for family in families:
        for folder in (FOLDER, *(folder for folder in own if (folder / family).is_dir())):
            for name, file in _modules(folder / family):
                yield Cause(name.removesuffix(".py").replace("_", "-"), family, file, folder)


def _modules(folder: Path) -> list[tuple[str, str]]:
    """Names within a family's folder, in order, and the file where each begins."""
    names = [name for name in sorted(os.listdir(folder)) if name[0] not in "_."]
    files = [name if name.endswith(".py") else f"{name}/__init__.py" for name in names]
    # What is left of a folder when its cause became a file again (compiled modules) is no cause.
    return [
        pair for pair in zip(names, files, strict=True) if pair[0] == pair[1] or (folder / pair[1]).is_file()
    ]


def _family_names() -> list[str]:
    """As in `families()`: the headings of the file tell them, and cost less than all it says."""
    lines = (FOLDER / "families.toml").read_text("utf-8").splitlines()
    return [line[1:-1] for line in lines if line.startswith("[")]


@cache
def families() -> Mapping[str, Family]:
    return {name: Family(name, **entry) for name, entry in _toml("families.toml").items()}


@cache
def sources() -> Mapping[str, Source]:
    """What pages cite; a folder of a project's own causes may bring works of its own."""
    tables = [_toml("sources.toml")]
    tables += [_toml("sources.toml", own) for own in own_folders() if (own / "sources.toml").is_file()]
    return {key: Source(key, **entry) for table in tables for key, entry in table.items()}


def find(slug: str) -> Cause:
    """The cause of that name, or an error that suggests the nearest ones."""
    known = causes()
    if slug in known:
        return known[slug]
    raise SleuthError(f"There is no cause named {slug!r}.{did_you_mean(slug, known)}")


@cache
def mentioning(technique: str) -> Mapping[str, Cause]:
    """Causes whose file has the word: the others need not be loaded."""
    return {slug: cause for slug, cause in causes().items() if technique.encode() in cause.code}


def ask(technique: str, facts: Any, among: Mapping[str, Cause] | None = None) -> Iterator[Evidence]:
    """Put the facts to every cause that has this technique, and stamp what they yield."""
    for cause in (causes() if among is None else among).values():
        detector: Callable[[Any], Iterator[Evidence]] | None
        if (detector := getattr(cause.module, technique, None)) is not None:
            for seen in detector(facts):
                yield replace(seen, cause=cause.slug, technique=technique)


def examine(
    technique: str, facts: Any, unanswerable: type[Exception], among: Mapping[str, Cause] | None = None
) -> tuple[list[Evidence], list[Examined]]:
    """As `ask`, for facts that may have no answer: such a cause is recorded as not examined.

    So is one whose detector fails: that is a mistake of Sleuth's, and no reason to lose what the others saw.
    """
    found: list[Evidence] = []
    examined: list[Examined] = []
    for cause in (causes() if among is None else among).values():
        if getattr(cause.module, technique, None) is None:
            continue
        started = time.perf_counter()
        reason = ""
        try:
            found += ask(technique, facts, {cause.slug: cause})
        except unanswerable as error:
            reason = str(error) or type(error).__name__
        except Exception as error:
            reason = f"the detector failed ({type(error).__name__}: {error})"
            warnings.warn(f"{cause.slug}: {reason}: a bug in Sleuth.", DetectorFailed, stacklevel=2)
        seconds = time.perf_counter() - started
        examined.append(Examined(cause.slug, cause.family, not reason, reason, seconds, technique))
    return found, examined


def _toml(name: str, folder: Path = FOLDER) -> dict[str, Any]:
    import tomllib

    with (folder / name).open("rb") as file:
        return tomllib.load(file)

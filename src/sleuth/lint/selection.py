"""Which causes to look for: from the command line, and from `[tool.sleuth.lint]` in pyproject.toml."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sleuth import catalog
from sleuth.catalog import Cause
from sleuth.errors import SleuthError, did_you_mean
from sleuth.finding import SEVERITIES, Evidence, Severity
from sleuth.judge.strength import severity
from sleuth.quick_dataclass import dataclass
from sleuth.settings import UNREADABLE, choice, section

SETTINGS = ("select", "ignore", "exclude", "notes")


@dataclass(frozen=True)
class Selection:
    """Causes and families to look for or to leave out; are notes wanted; what an unread file means."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    notes: bool = False
    exclude: tuple[str, ...] = ()
    unreadable: str = UNREADABLE[0]

    def __post_init__(self) -> None:
        names = {*catalog.causes(), *catalog.families()} if self.select or self.ignore else set()
        for word in (*self.select, *self.ignore):
            if word not in names:
                raise SleuthError(f"There is no cause or family named {word!r}.{did_you_mean(word, names)}")

    def wants(self, slug: str, family: str) -> bool:
        names = {slug, family}
        return (not self.select or not names.isdisjoint(self.select)) and names.isdisjoint(self.ignore)

    def keeps(self, evidence: Evidence) -> bool:
        family = catalog.find(evidence.cause).family
        return severity(evidence) in self.severities and self.wants(evidence.cause, family)

    def causes(self) -> dict[str, Cause]:
        """The causes that can be seen in source and were asked for."""
        return {slug: cause for slug, cause in lintable().items() if self.wants(slug, cause.family)}

    @property
    def severities(self) -> tuple[Severity, ...]:
        return SEVERITIES if self.notes else ("error", "warning")


def lintable() -> dict[str, Cause]:
    """The causes whose module has a `lint`: told by its code, as loading all modules takes longer."""
    return {slug: cause for slug, cause in catalog.causes().items() if b"\ndef lint(" in cause.code}


def configured(start: Path) -> Selection:
    """The settings of the nearest pyproject.toml at or above a place."""
    found = section(start, "lint")
    if found is None:
        return Selection()
    unreadable = choice(start, "unreadable", UNREADABLE) or UNREADABLE[0]
    file, table = found
    for key in table:
        if key not in SETTINGS:
            raise SleuthError(
                f"{file}: [tool.sleuth.lint] has no setting {key!r}.{did_you_mean(key, SETTINGS)}"
            )
    return Selection(
        select=_words(file, table, "select"),
        ignore=_words(file, table, "ignore"),
        notes=bool(table.get("notes", False)),
        exclude=_words(file, table, "exclude"),
        unreadable=unreadable,
    )


def _words(file: Path, table: dict[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise SleuthError(f"{file}: {key} under [tool.sleuth.lint] must be a list of strings.")
    return tuple(value)


def combined(
    config: Selection,
    select: Iterable[str],
    ignore: Iterable[str],
    notes: bool,
    unreadable: str | None = None,
) -> Selection:
    """The command line over the configuration: its `select` replaces, its `ignore` adds."""
    return Selection(
        select=tuple(select) or config.select,
        ignore=(*config.ignore, *ignore),
        notes=notes or config.notes,
        exclude=config.exclude,
        unreadable=unreadable or config.unreadable,
    )

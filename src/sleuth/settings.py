"""What a project says of Sleuth in its pyproject.toml, under `[tool.sleuth.<section>]`."""

from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError
from sleuth.shapes import Damage, content, from_toml

UNREADABLE = ("error", "ignore")  # what a file that was not read, or only in part, does to the exit code


def section(start: Path, name: str) -> tuple[Path, dict[str, Any]] | None:
    """The file and the section of the nearest pyproject.toml at or above a place; None where it has none."""
    file = _nearest(start)
    if file is None:
        return None
    table = _read(file).get(name, {})
    if not isinstance(table, dict):
        raise SleuthError(f"{file}: {name} under [tool.sleuth] must be a table of settings.")
    return file, table


def _nearest(start: Path) -> Path | None:
    """The pyproject.toml at or above a place."""
    folders = (start, *start.parents) if start.is_dir() else start.parents
    return next((file for folder in folders if (file := folder / "pyproject.toml").is_file()), None)


def choice(start: Path, name: str, choices: tuple[str, ...]) -> str | None:
    """A setting that stands under `[tool.sleuth]` itself, one of a few words; None where it is not set."""
    file = _nearest(start)
    value = None if file is None else _read(file).get(name)
    if value is not None and value not in choices:
        known = " or ".join(map(repr, choices))
        raise SleuthError(f"{file}: {name} under [tool.sleuth] must be {known}, not {value!r}.")
    return None if value is None else str(value)


def _read(file: Path) -> dict[str, Any]:
    data = content(file)
    if isinstance(data, Damage):
        raise SleuthError(f"{file.parent / str(data)}.")
    if b"tool.sleuth" not in data:
        return {}
    told = from_toml(data, file.name)
    if isinstance(told, Damage):
        raise SleuthError(f"{file.parent / str(told)}.")
    tool = told.get("tool")
    own = tool.get("sleuth") if isinstance(tool, dict) else None
    return own if isinstance(own, dict) else {}

"""What a project says of Sleuth in its pyproject.toml, under `[tool.sleuth.<section>]`."""

from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError

UNREADABLE = ("error", "ignore")  # what a file that was not read, or only in part, does to the exit code


def section(start: Path, name: str) -> tuple[Path, dict[str, Any]] | None:
    """The file and the section of the nearest pyproject.toml at or above a place; None where it has none."""
    for folder in (start, *start.parents) if start.is_dir() else start.parents:
        file = folder / "pyproject.toml"
        if file.is_file():
            table = _read(file).get(name, {})
            if not isinstance(table, dict):
                raise SleuthError(f"{file}: {name} under [tool.sleuth] must be a table of settings.")
            return file, table
    return None


def choice(start: Path, name: str, choices: tuple[str, ...]) -> str | None:
    """A setting that stands under `[tool.sleuth]` itself, one of a few words; None where it is not set."""
    for folder in (start, *start.parents) if start.is_dir() else start.parents:
        file = folder / "pyproject.toml"
        if file.is_file():
            value = _read(file).get(name)
            if value is not None and value not in choices:
                known = " or ".join(map(repr, choices))
                raise SleuthError(f"{file}: {name} under [tool.sleuth] must be {known}, not {value!r}.")
            return None if value is None else str(value)
    return None


def _read(file: Path) -> dict[str, Any]:
    try:
        text = file.read_text("utf-8")
        if "tool.sleuth" not in text:
            return {}
        import tomllib

        data = tomllib.loads(text)
    except (ValueError, OSError) as error:
        raise SleuthError(f"Cannot read {file}: {error}.") from None
    told = data.get("tool", {}).get("sleuth", {})
    return told if isinstance(told, dict) else {}

"""What a project says of Sleuth in its pyproject.toml, under `[tool.sleuth.<section>]`."""

from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError


def section(start: Path, name: str) -> tuple[Path, dict[str, Any]] | None:
    """The file and the section of the nearest pyproject.toml at or above a place; None where it has none."""
    file = _nearest(start)
    if file is None:
        return None
    table = _read(file).get(name, {})
    if not isinstance(table, dict):
        raise SleuthError(f"{file}: {name} under [tool.sleuth] must be a table of settings.")
    return file, table


def listed(start: Path, name: str) -> tuple[Path, tuple[str, ...]] | None:
    """As `section`, for a list of words that stands under `[tool.sleuth]` itself."""
    file = _nearest(start)
    if file is None or (words := _read(file).get(name)) is None:
        return None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise SleuthError(f"{file}: {name} under [tool.sleuth] must be a list of strings.")
    return file, tuple(words)


def _nearest(start: Path) -> Path | None:
    """The pyproject.toml at or above a place."""
    folders = (start, *start.parents) if start.is_dir() else start.parents
    return next((file for folder in folders if (file := folder / "pyproject.toml").is_file()), None)


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

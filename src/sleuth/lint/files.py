"""The files a request means, and reading one of them as a program: Python, notebook or standard input."""

import fnmatch
import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sleuth.errors import SleuthError
from sleuth.source.notebook import read_notebook
from sleuth.source.parsed_file import MAX_NOTEBOOK_BYTES, Source, decode, parse_source, read_bytes

# Folders that hold other people's code or build products.
PASSED_OVER = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist", "venv", "env"})
SUFFIXES = (".py", ".ipynb")
STDIN = Path("-")


def python_files(paths: Iterable[Path], exclude: tuple[str, ...] = ()) -> Iterator[Path]:
    """The Python files and notebooks named, or below the folders named, each once.

    Links to folders are not followed, so a loop of links ends; a file reached twice is taken once.
    """
    seen: set[str] = set()
    for path in paths:
        if path == STDIN:
            yield path
            continue
        if not path.exists():
            raise SleuthError(f"There is no file or folder {str(path)!r}.")
        if not path.is_dir() and not path.is_file():
            raise SleuthError(f"{str(path)!r} is neither a file nor a folder.")  # a pipe would be waited for
        for file in _below(path, exclude) if path.is_dir() else (path,):
            if (real := os.path.realpath(file)) not in seen:
                seen.add(real)
                yield file


def left_out(path: str, exclude: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, f"*/{pattern}") for pattern in exclude)


def _below(folder: Path, exclude: tuple[str, ...]) -> Iterator[Path]:
    unlisted: list[Path] = []
    for here, folders, files in os.walk(folder, onerror=lambda error: unlisted.append(Path(error.filename))):
        folders[:] = sorted(
            name
            for name in folders
            if name not in PASSED_OVER
            and not name.startswith(".")
            and not left_out(os.path.join(here, name), exclude)
        )
        for name in sorted(files):
            file = Path(here, name)
            wanted = name.endswith(SUFFIXES) and not left_out(str(file), exclude)
            if wanted and (file.is_file() or not file.exists()):
                yield file
    yield from unlisted  # a folder that cannot be looked into says so when it is read


def read_bytes_of(path: Path) -> bytes:
    return sys.stdin.buffer.read(MAX_NOTEBOOK_BYTES + 1) if path == STDIN else read_bytes(path)


def read_any(path: Path, data: bytes, name: str | None = None) -> Source:
    """Parse what was read; a fragment with an unfinished end is taken as far as it goes."""
    label = name or str(path)
    if label.endswith(".ipynb"):
        return read_notebook(label, decode(label, data, MAX_NOTEBOOK_BYTES))
    return parse_source(label, decode(label, data), repair=True)

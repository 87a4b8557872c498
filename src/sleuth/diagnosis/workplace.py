"""Where a script is run: in place when it writes nothing there, else in a scratch copy of its folders."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# What is copied at most; a folder with more holds data, which is linked instead.
MOST_BYTES, MOST_FILES = 100_000_000, 3_000
SKIPPED = frozenset("__pycache__ node_modules .git .hg .venv venv .tox .mypy_cache .sleuth .bench".split())

# Words of code that writes files. In doubt a copy is made, which costs little.
_WRITES = re.compile(
    rb"\bsave\w*\(|\bdump\(|\bto_(csv|parquet|json|pickle|feather|hdf)\(|\bmakedirs\(|\bmkdir\(|\bwrite\w*\(|"
    rb"SummaryWriter|FileHandler|['\"](?:[wax]b?\+?|r\+b?|rb\+)['\"]|rmtree|\bunlink\(|mlflow|wandb|"
    rb"ModelCheckpoint|"
    rb"sqlite3|memmap|\btouch\("
)


@dataclass(frozen=True)
class Workplace:
    """The folder a run works in, the script as it is found there, and the folders it must not write into."""

    folder: str
    script: str
    guarded: tuple[str, ...]
    origins: tuple[tuple[str, str], ...] = ()  # (copy, original) folders

    def original(self, path: str) -> str:
        """The user's own path of a file that was run from a copy."""
        for copy, origin in self.origins:
            if path == copy or path.startswith(copy + os.sep):
                return origin + path[len(copy) :]
        return path


def writes_files(sources: list[Path]) -> bool:
    return any(_WRITES.search(path.read_bytes()) for path in sources if path.is_file())


def in_place(script: Path, folder: Path) -> Workplace:
    """The user's folders themselves, guarded; but not the one that is there for everybody to write into."""
    temporary = os.path.realpath(tempfile.gettempdir()) + os.sep
    folders = {os.path.realpath(folder), os.path.realpath(script.parent)}
    guarded = (path for path in folders if not temporary.startswith(path.rstrip(os.sep) + os.sep))
    return Workplace(str(folder), str(script), tuple(sorted(guarded)))


def unguarded(script: Path, folder: Path) -> Workplace:
    return Workplace(str(folder), str(script), ())


def scratch_copy(script: Path, folder: Path, scratch: str, name: str) -> Workplace:
    """Copies of the working folder and of the script's, below a scratch folder that is removed at the end."""
    home = Path(os.path.realpath(folder))
    place = Path(os.path.realpath(script.parent))
    work = Path(scratch) / name / "work"
    _copy(home, work)
    origins = [(str(work), str(home))]
    inside = place.is_relative_to(home) and (work / place.relative_to(home) / script.name).exists()
    if inside:
        beside = work / place.relative_to(home)
    else:
        beside = Path(scratch) / name / "script"
        _copy(place, beside)
        origins.append((str(beside), str(place)))
    return Workplace(str(work), str(beside / script.name), (str(home), str(place)), tuple(origins))


def _copy(source: Path, target: Path) -> None:
    """Small files are copied, big ones and folders past the limits are linked; hidden folders stay behind."""
    target.mkdir(parents=True)
    budget = [MOST_BYTES, MOST_FILES]
    for entry in _entries(source):
        _copy_entry(entry, target / entry.name, budget)


def _copy_entry(entry: Path, target: Path, budget: list[int]) -> None:
    if entry.is_dir() and not entry.is_symlink():
        size, files = _measure(entry, budget[1])
        if size > budget[0] or files > budget[1]:
            target.symlink_to(entry)
            return
        target.mkdir()
        for inner in _entries(entry):
            _copy_entry(inner, target / inner.name, budget)
    elif entry.is_file():
        size = entry.stat().st_size
        if size > budget[0]:
            target.symlink_to(entry)
            return
        budget[0] -= size
        budget[1] -= 1
        shutil.copy2(entry, target)


def _entries(folder: Path) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    yield from (entry for entry in entries if entry.name not in SKIPPED and not _is_environment(entry))


def _is_environment(entry: Path) -> bool:
    return entry.is_dir() and (entry / "pyvenv.cfg").exists()


def _measure(folder: Path, enough: int) -> tuple[int, int]:
    """Bytes and files below, counted until it is clear that there are too many."""
    size = files = 0
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in names:
            files += 1
            try:
                size += os.lstat(os.path.join(parent, name)).st_size
            except OSError:
                continue
        if files > enough or size > MOST_BYTES:
            break
    return size, files

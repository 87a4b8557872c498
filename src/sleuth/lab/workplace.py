"""Where a script is run: in place when it writes nothing there, else in a scratch copy of its folders."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

# What is copied at most; a folder with more holds data, which is linked instead.
MOST_BYTES, MOST_FILES = 100_000_000, 3_000
# The same of what lies beside the folders above: it is mostly read, and every run gets a copy of its own.
BESIDE_BYTES, BESIDE_FILES = 20_000_000, 500
MOST_BESIDE = 1_000  # entries of one folder above that are laid out at all
SKIPPED = frozenset("__pycache__ node_modules .git .hg .venv venv .tox .mypy_cache .sleuth .bench".split())
# What marks the top of a project, how far up it is looked for, and how far to go up where there is none.
MARKS = (".git", ".hg", "pyproject.toml", "setup.py", "setup.cfg")
FAR_UP, UP = 5, 2

# Words of code that writes files, itself or by another program. In doubt a copy is made, which costs little.
_WRITES = re.compile(
    rb"\bsave\w*\(|\bdump\(|\bto_(csv|parquet|json|pickle|feather|hdf)\(|\bmakedirs\(|\bmkdir\(|\bwrite\w*\(|"
    rb"SummaryWriter|FileHandler|['\"](?:[wax]b?\+?|r\+b?|rb\+)['\"]|rmtree|\bunlink\(|mlflow|wandb|"
    rb"ModelCheckpoint|TrainingArguments|"
    rb"sqlite3|memmap|\btouch\(|\bim(?:save|write)\(|h5py|\bshutil\b|\bos\.(?:rename|replace|remove|symlink|link)\b|"
    rb"\bsubprocess\b|\bPopen\b|\bos\.(?:system|popen|exec\w+|spawn\w+|posix_spawn\w*)\b|"
    rb"\bfrom os import\b[^\n]*\b(?:system|popen)\b"
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


def crowded(script: Path, folder: Path) -> bool:
    """Whether a copy would take long: laying out 50,000 files took 5 CPU seconds, for every run anew."""
    return any(_holds_many(path) for path in {folder, script.parent})


def _holds_many(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return sum(1 for _ in islice(entries, MOST_FILES + 1)) > MOST_FILES
    except OSError:
        return False


def in_place(script: Path, folder: Path) -> Workplace:
    """The user's folders themselves, guarded; but not the one that is there for everybody to write into."""
    folders = {Path(os.path.realpath(folder)), Path(os.path.realpath(script.parent))}
    folders |= {top for path in folders if (top := _project(path)) is not None}
    return Workplace(str(folder), str(script), tuple(sorted(str(p) for p in folders if not _shared(p))))


def unguarded(script: Path, folder: Path) -> Workplace:
    return Workplace(str(folder), str(script), ())


def scratch_copy(script: Path, folder: Path, scratch: str, name: str) -> Workplace:
    """Copies of the working folder and of the script's, below a scratch folder that is removed at the end.

    They stand as the originals do below their project's top, so that `../data` leads to the same data.
    """
    home, place = Path(os.path.realpath(folder)), Path(os.path.realpath(script.parent))
    below = Path(os.path.realpath(scratch))
    projects = [top for path in (home, place) if (top := _project(path)) is not None]
    laid = _Laid((home, place), projects, below)
    trees: dict[Path, Path] = {}  # the top of what is laid out → its copy
    for path in (home, place):
        if not any(path.is_relative_to(top) for top in trees):
            top = _top(path, below)
            trees = {other: copy for other, copy in trees.items() if not other.is_relative_to(top)}
            trees[top] = below / name / ("script" if trees else "work")
    for top, copy in trees.items():
        _lay(top, copy, laid)
    origins = tuple((str(copy), str(top)) for top, copy in trees.items())
    guarded = dict.fromkeys((str(home), str(place), *map(str, projects), *laid.linked))
    return Workplace(_copied(home, trees), _copied(place / script.name, trees), tuple(guarded), origins)


def _copied(path: Path, trees: dict[Path, Path]) -> str:
    return next(str(copy / path.relative_to(top)) for top, copy in trees.items() if path.is_relative_to(top))


def _project(folder: Path) -> Path | None:
    """The top of the project that a folder belongs to, where something marks it."""
    for path in (folder, *folder.parents[:FAR_UP]):
        if any((path / mark).exists() for mark in MARKS):
            return path if _may_be_laid(path) and not _above_home(path) else None
    return None


def _top(folder: Path, scratch: Path) -> Path:
    """How far up to lay out what stands above a folder: the project's top, or a few levels."""
    top, project = folder, _project(folder)
    for path in folder.parents[: FAR_UP if project is not None else UP]:
        if top == project or not _may_be_laid(path) or scratch.is_relative_to(path):
            break
        top = path
    return top


def _may_be_laid(path: Path) -> bool:
    """Not the whole file system, nor what everybody writes into."""
    return path != Path(path.anchor) and not _shared(path)


def _shared(path: Path) -> bool:
    temporary = os.path.realpath(tempfile.gettempdir()) + os.sep
    return temporary.startswith(str(path).rstrip(os.sep) + os.sep)


@dataclass(frozen=True)
class _Laid:
    """What is laid out: the folders copied as a whole, the projects they belong to, what is left of the
    budget for what stands beside them, and the folders that were linked."""

    whole: Sequence[Path]
    projects: Sequence[Path]
    scratch: Path
    beside: list[int] = field(default_factory=lambda: [BESIDE_BYTES, BESIDE_FILES])
    linked: list[str] = field(default_factory=list)

    def copies(self, folder: Path) -> bool:
        """Whether small things in a folder above are copied: those of the project, or of the next folder."""
        within = any(folder.is_relative_to(top) for top in self.projects)
        return not _above_home(folder) and (within or any(path.parent == folder for path in self.whole))


def _above_home(folder: Path) -> bool:
    """The user's home and what is above it are no part of a project, whatever stands there."""
    return Path(os.path.realpath(Path.home())).is_relative_to(folder)


def _lay(source: Path, target: Path, laid: _Laid, budget: list[int] | None = None) -> None:
    """Small files are copied, big ones and folders past the limits are linked; hidden folders stay behind.

    `budget` is that of the folder around that is copied as a whole; the ways to others inside come first.
    """
    target.mkdir(parents=True)
    if budget is None and source in laid.whole:
        budget = [MOST_BYTES, MOST_FILES]
    ways = {source / path.relative_to(source).parts[0] for path in laid.whole if _inside(path, source)}
    for way in sorted(ways):
        _lay(way, target / way.name, laid, budget)
    entries = [entry for entry in _entries(source) if entry not in ways]
    if budget is not None:
        for entry in entries:
            _copy_entry(entry, target / entry.name, budget, laid)
        return
    for entry in [entry for entry in entries if not _hidden_folder(entry)][:MOST_BESIDE]:
        if laid.copies(source):
            _copy_entry(entry, target / entry.name, laid.beside, laid)
        else:
            _link(entry, target / entry.name, laid)


def _hidden_folder(entry: Path) -> bool:
    """Above the working folder, these belong to other programs."""
    return entry.name.startswith(".") and entry.is_dir()


def _inside(path: Path, folder: Path) -> bool:
    return path != folder and path.is_relative_to(folder)


def _copy_entry(entry: Path, target: Path, budget: list[int], laid: _Laid) -> None:
    if entry.is_dir():
        size, files = (0, 0) if entry.is_symlink() else _measure(entry, budget[1])
        if entry.is_symlink() or size > budget[0] or files > budget[1]:
            _link(entry, target, laid)
            return
        if entry == laid.scratch:
            return
        target.mkdir()
        for inner in _entries(entry):
            _copy_entry(inner, target / inner.name, budget, laid)
    elif entry.is_file():
        size = entry.stat().st_size
        if size > budget[0]:
            _link(entry, target, laid)
            return
        budget[0] -= size
        budget[1] -= 1
        shutil.copy2(entry, target)


def _link(entry: Path, target: Path, laid: _Laid) -> None:
    """To the user's own, where the guard lets nothing be written: not by the link, nor by the true path
    (but in a home folder, where libraries keep what they fetch)."""
    target.symlink_to(os.path.realpath(entry))
    if entry.is_dir() and not _above_home(entry.parent):
        laid.linked.append(os.path.realpath(entry))


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

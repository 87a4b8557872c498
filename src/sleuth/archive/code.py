"""The code of a run: git's commit and what differs from it, or a copy where there is no git."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth import git

CODE, DIFF = "code", "code.diff"
PATIENCE = 2.0  # seconds for git; a run should not wait longer for its archive
MOST_FILES, MOST_BYTES, LARGEST = 200, 4_000_000, 500_000  # of copies; sources are far smaller
LONGEST_DIFF = 4_000_000
SOURCES = ("*.py", "*.yaml", "*.yml", "*.toml", "*.json", "*.cfg", "*.ini", "*.sh", "*.ipynb")

HEAD = ("rev-parse", "--show-toplevel", "HEAD")
CHANGES = ("diff", "HEAD")
NEW = ("ls-files", "-z", "--others", "--exclude-standard", "--full-name", "--")

# A pattern in place of a parser: a wrong match costs a look for a file, a parse of each file the quick start.
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n#]*)|import[ \t]+([\w., \t]+))", re.M
)


@dataclass(frozen=True)
class Git:
    """The state of a repository when the run began; `changed` has the files nearest the script first."""

    root: Path
    commit: str
    diff: str
    changed: tuple[Path, ...]


def snapshot(folder: Path, script: Path | None, cwd: Path) -> dict[str, Any]:
    """Keep the code under `folder`, and say what was kept."""
    start = script.parent if script else cwd
    state = git_state(start)
    if state is None:
        root = cwd if script is None or script.is_relative_to(cwd) else start
        files: Iterable[Path] = local_files(script, cwd)
    else:
        root, files = state.root, state.changed
        (folder / DIFF).write_text(state.diff[:LONGEST_DIFF], "utf-8", errors="replace")
    copied, left_out = _copy([*([script] if script else []), *files], root, folder / CODE)
    return {
        "root": str(root),
        "commit": state.commit if state else None,
        "script": _name(script, root) if script else None,
        "files": copied,
        "left_out": left_out + ([f"{DIFF} beyond 4 MB"] if state and len(state.diff) > LONGEST_DIFF else []),
    }


def git_state(start: Path) -> Git | None:
    """None without git, outside a repository, before its first commit, or when git takes too long."""
    if not any((folder / ".git").exists() for folder in (start, *start.parents)):
        return None
    told = _ask_git(start, HEAD, CHANGES, (*NEW, *(f":/{pattern}" for pattern in SOURCES)))
    if told is None:
        return None
    head, diff, new = told
    top, _, commit = head.strip().rpartition("\n")
    names = [*re.findall(r"^\+\+\+ b/(.+?)\t?$", diff, re.M), *filter(None, new.split("\0"))]
    changed = sorted((Path(top, name) for name in names), key=lambda path: not path.is_relative_to(start))
    return Git(Path(top), commit, diff, tuple(path for path in changed if path.is_file()))


def local_files(script: Path | None, cwd: Path) -> Iterator[Path]:
    """The script's own imports, followed as far as they lead to files of the project; then its neighbours."""
    start = script.parent if script else cwd
    seen: set[str] = set()  # names in place of paths: this is most of the time that a start takes
    waiting = [str(script)] if script else []
    while waiting and len(seen) < MOST_FILES:
        for found in _imported(waiting.pop(), tuple(dict.fromkeys((str(start), str(cwd))))):
            if found not in seen:
                seen.add(found)
                waiting.append(found)
                yield Path(found)
    yield from (path for path in sorted(start.glob("*.py")) if str(path) not in seen)


def _ask_git(folder: Path, *requests: tuple[str, ...]) -> list[str] | None:
    """All at once: most of the time goes into starting git and into reading the tree."""
    asked: list[subprocess.Popen[str]] = []
    try:
        asked += [git.start(folder, *words, patience=PATIENCE, errors="replace") for words in requests]
        answers = [one.communicate(timeout=PATIENCE)[0] for one in asked]
    except (OSError, subprocess.SubprocessError):
        return None
    finally:
        for one in asked:
            one.kill()
            one.communicate()
    return None if any(one.returncode for one in asked) else answers


def kept(folder: Path) -> dict[str, Path]:
    """Name → copy, of the files kept with a run."""
    root = folder / CODE
    return {path.relative_to(root).as_posix(): path for path in sorted(root.rglob("*")) if path.is_file()}


def committed(root: Path, commit: str, name: str) -> str | None:
    """A file as a commit has it; None where the repository is gone or has no such file."""
    told = _ask_git(root, ("cat-file", "blob", f"{commit}:{name}")) if root.is_dir() else None
    return told[0] if told else None


def between(root: Path, left: str, right: str) -> list[str] | None:
    """The sources that differ between two commits; None where the repository is gone."""
    request = ("diff", "--name-only", "-z", left, right, "--", *(f":/{pattern}" for pattern in SOURCES))
    told = _ask_git(root, request) if root.is_dir() else None
    return [name for name in told[0].split("\0") if name] if told else None


def _imported(path: str, roots: tuple[str, ...]) -> Iterator[str]:
    for base, module in _modules(path):
        for root in (base,) if base else roots:
            place = os.path.join(root, *module.split("."))
            for candidate in (f"{place}.py", os.path.join(place, "__init__.py")):
                if os.path.isfile(candidate):
                    yield candidate


def _modules(path: str) -> Iterator[tuple[str | None, str]]:
    """Each module an import may mean, with the folder it is relative to."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(LARGEST)
    except OSError:
        return
    for origin, names, plain in _IMPORT.findall(text):
        if plain:
            yield from ((None, part.split()[0]) for part in plain.split(",") if part.split())
            continue
        module = origin.lstrip(".")
        base = _above(path, len(origin) - len(module))
        yield base, module
        for name in re.findall(r"\w+", names):
            yield base, f"{module}.{name}".lstrip(".")


def _above(path: str, dots: int) -> str | None:
    """The folder that so many dots before a module mean."""
    for _ in range(dots):
        path = os.path.dirname(path)
    return path if dots else None


def _copy(files: Iterable[Path], root: Path, target: Path) -> tuple[list[str], list[str]]:
    """Copies within bounds; what would go beyond them is named instead."""
    kept: list[str] = []
    left_out: list[str] = []
    folders: set[Path] = set()
    total = 0
    for path in dict.fromkeys(files):
        name = _name(path, root)
        try:
            size = path.stat().st_size
            if size > LARGEST or total + size > MOST_BYTES or len(kept) >= MOST_FILES:
                left_out.append(name)
                continue
            content = path.read_bytes()
        except OSError:
            left_out.append(name)
            continue
        copy = target / name
        if copy.parent not in folders:
            copy.parent.mkdir(parents=True, exist_ok=True)
            folders.add(copy.parent)
        copy.write_bytes(content)
        kept.append(name)
        total += size
    return kept, left_out


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name

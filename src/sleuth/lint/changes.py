"""What changed: since a git revision (`--diff`), or just now (`--watch`)."""

import codecs
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth import git
from sleuth.errors import SleuthError
from sleuth.lint.files import STDIN, python_files
from sleuth.quick_dataclass import replace
from sleuth.source.parsed_file import UnreadableSource, read_bytes

if TYPE_CHECKING:
    from sleuth.finding import Evidence
    from sleuth.lint.run import LintResult

POLL = 0.4  # seconds between two looks: quicker than a person switches windows
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def only_changed(result: "LintResult", revision: str) -> "LintResult":
    """The findings that stand on lines added or changed since a revision, or were not there before it: a
    line that was taken out speaks through those that are left. Notebooks count as a whole."""
    changed = changed_lines(revision)
    before: dict[str, set[tuple[str, str]]] = {}

    def touched(path: str | None, line: int | None, cell: int | None) -> bool:
        lines = changed.get(Path(path or "").resolve())
        return lines is not None and (cell is not None or line in lines)

    def is_new(finding: "Evidence", path: str, line: int | None) -> bool:
        if Path(path).resolve() not in changed or not path.endswith(".py"):
            return False
        if path not in before:
            before[path] = _found_before(revision, path)
        return (finding.cause, result.excerpts.get((path, None, line), "").strip()) not in before[path]

    kept = tuple(
        finding
        for finding in result.evidence
        if (where := finding.where) is not None
        and where.path is not None
        and (touched(where.path, where.line, where.cell) or is_new(finding, where.path, where.line))
    )
    troubles = tuple(trouble for trouble in result.troubles if Path(trouble.path).resolve() in changed)
    return replace(result, evidence=kept, troubles=troubles)


def _found_before(revision: str, path: str) -> set[tuple[str, str]]:
    """What lint says of a file as it was: cause and line of code, as lines may have moved since."""
    from sleuth.lint.work import report_of

    text = _git("cat-file", "blob", f"{revision}:./{os.path.relpath(path)}")
    report = report_of(Path(path), text.encode("utf-8", "surrogateescape"), remembering=False)
    return {
        (finding.cause, report.excerpts.get((where.path, where.cell, where.line), "").strip())
        for finding in report.evidence
        if (where := finding.where) is not None
    }


def changed_lines(revision: str) -> dict[Path, set[int]]:
    """File → its lines that git sees as new or changed; files git does not track count whole."""
    top = Path(_git("rev-parse", "--show-toplevel").strip())
    _git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    changed: dict[Path, set[int]] = {}
    current: set[int] = set()
    for line in _git("diff", "-U0", "--relative", revision, "--").split("\n"):
        if line.startswith("+++ "):
            name = _unquoted(line[4:].rstrip("\t")).removeprefix("b/")
            current = changed.setdefault((Path.cwd() / name).resolve(), set())
        elif hunk := _HUNK.match(line):
            start, count = int(hunk[1]), int(hunk[2] or 1)
            current.update(range(start, start + count))
    for name in _git("ls-files", "-z", "--others", "--exclude-standard", "--full-name").split("\0"):
        path = top / name
        if path.suffix in (".py", ".ipynb"):
            changed[path.resolve()] = set(range(1, _lines_in(path) + 1))
    return changed


def _unquoted(name: str) -> str:
    """Git writes a name that holds quotes or controls as a string of C."""
    if not name.startswith('"'):
        return name
    plain, _ = codecs.escape_decode(name[1:-1].encode("utf-8", "surrogateescape"))
    return bytes(plain).decode("utf-8", "surrogateescape")


def _lines_in(path: Path) -> int:
    try:
        return read_bytes(path).count(b"\n") + 1
    except UnreadableSource:
        return 0  # lint says so


def _git(*words: str) -> str:
    try:
        with git.start(Path(), *words) as asked:
            told, complaint = asked.communicate()
    except FileNotFoundError:
        raise SleuthError("--diff needs git, which is not installed.") from None
    if asked.returncode != 0:
        reason = complaint.strip().splitlines()[-1:] or [f"{words[-1].partition('^')[0]!r} is no revision"]
        raise SleuthError(f"git does not know what changed: {reason[0].removeprefix('fatal: ')}.")
    return told


def wait_for_change(paths: Iterable[Path], exclude: tuple[str, ...], before: dict[Path, int]) -> None:
    """Return when a file below the paths is not what it was: written, added or removed."""
    while stamps(paths, exclude) == before:
        time.sleep(POLL)


def stamps(paths: Iterable[Path], exclude: tuple[str, ...]) -> dict[Path, int]:
    """When each file below the paths was last written."""
    found: dict[Path, int] = {}
    for path in python_files([path for path in paths if path != STDIN and path.exists()], exclude):
        try:
            found[path] = path.stat().st_mtime_ns
        except OSError:
            continue
    return found

"""What lint found last time. A file is judged again only when it, a file it imports, or Sleuth changed."""

import json
import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from sleuth import catalog
from sleuth._version import __version__
from sleuth.files import read_regular
from sleuth.finding import Evidence, Where
from sleuth.lint.reports import FileReport
from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import ABSENT, UnreadableSource, fingerprint, read_bytes

# A report of the largest file there is has a fraction of this; what is longer was not written by Sleuth.
LARGEST = 8_000_000


@dataclass(frozen=True)
class Cache:
    """A folder with one small file for each file linted. Losing it costs time only.

    It may have come with somebody's project. So it is read as data of unknown shape, and below
    `links_up_to` (without it: below the folder) links are not followed, or a project could have files
    written elsewhere.
    """

    folder: Path
    links_up_to: Path | None = None

    def recall(self, path: Path, data: bytes) -> FileReport | None:
        """What was found in this very content, if nothing that was consulted has changed since."""
        file = self._file(path)
        try:
            if self._leads_away(file):
                return None
            stored = json.loads(read_regular(file, LARGEST, follow=False))
            if stored["rules"] != self.rules or stored["report"]["path"] != str(path):
                return None
            if stored["report"]["fingerprint"] != fingerprint(data):
                return None
            if any(_now(other) != then for other, then in stored["report"]["consulted"].items()):
                return None
            report = FileReport.from_dict(stored["report"])
            return report if all(map(_is_sound, report.evidence)) else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def remember(self, path: Path, report: FileReport) -> None:
        """Keep a report. A folder that cannot be written to is no reason to fail."""
        file = self._file(path)
        text = json.dumps({"rules": self.rules, "report": report.to_dict()}).encode()
        with suppress(OSError):
            if len(text) > LARGEST or self._leads_away(file):
                return
            file.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError):
                _write_new(self.folder / ".gitignore", b"*\n")
            scratch = file.with_suffix(f".{os.getpid()}.tmp")
            scratch.unlink(missing_ok=True)
            _write_new(scratch, text)
            scratch.replace(file)

    def _leads_away(self, file: Path) -> bool:
        """Whether a link lies on the way."""
        inside = file.relative_to(self.links_up_to or self.folder).parts
        steps = [Path(*file.parts[: len(file.parts) - back]) for back in range(len(inside))]
        return any(step.is_symlink() for step in steps)

    @cached_property
    def rules(self) -> str:
        """Changes whenever Sleuth itself does."""
        package = Path(__file__).resolve().parent.parent
        stamps = [str(path.stat().st_mtime_ns) for path in sorted(package.rglob("*.py"))]
        return fingerprint(" ".join([__version__, *stamps]).encode())

    def _file(self, path: Path) -> Path:
        name = fingerprint(os.fsencode(path.absolute()))
        return self.folder / name[:2] / f"{name[2:]}.json"


def _now(path: str) -> str:
    try:
        return fingerprint(read_bytes(Path(path)))
    except UnreadableSource:
        return ABSENT


def _is_sound(evidence: Evidence) -> bool:
    """Of the shape that everything downstream relies on."""
    where = evidence.where or Where()
    words = (evidence.message, evidence.fix, where.path or "", where.module or "")
    lines = (where.line, where.column, where.end_line, where.end_column, where.cell)
    spots = [(edit.line, edit.column, edit.end_line, edit.end_column) for edit in evidence.edits]
    return (
        evidence.cause in catalog.causes()
        and all(isinstance(word, str) for word in words)
        and all(line is None or isinstance(line, int) for line in lines)
        and all(isinstance(edit.text, str) and isinstance(edit.path, str) for edit in evidence.edits)
        and all(isinstance(number, int) for spot in spots for number in spot)
    )


def _write_new(path: Path, content: bytes) -> None:
    """A new file, or none: what stands there already, be it a link, is not written through."""
    with path.open("xb") as file:
        file.write(content)

"""What lint found last time. A file is judged again only when it, a file it imports, or Sleuth changed."""

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from sleuth import catalog
from sleuth._version import __version__
from sleuth.lint.reports import FileReport, StoredReport
from sleuth.own_causes import own_folders
from sleuth.quick_dataclass import dataclass
from sleuth.shapes import Damage, read
from sleuth.source.parsed_file import ABSENT, UnreadableSource, fingerprint, read_bytes

LARGEST = 16 * 1024 * 1024  # bytes of one file's report; the largest seen has 200 kB


@dataclass(frozen=True)
class Kept:
    """A file of the cache."""

    rules: str
    report: StoredReport


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
        if self._leads_away(file):
            return None
        kept = read(Kept, file, LARGEST)
        if isinstance(kept, Damage) or kept.rules != self.rules or kept.report.path != str(path):
            return None
        if kept.report.fingerprint != fingerprint(data):
            return None
        if any(_now(other) != then for other, then in kept.report.consulted.items()):
            return None
        report = kept.report.report
        return report if all(found.cause in catalog.causes() for found in report.evidence) else None

    def remember(self, path: Path, report: FileReport) -> None:
        """Keep a report. A folder that cannot be written to is no reason to fail."""
        import json

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
        """Changes whenever Sleuth itself does, or a cause of the project's own."""
        package = Path(__file__).resolve().parent.parent
        paths = [path for folder in (package, *own_folders()) for path in sorted(folder.rglob("*.py"))]
        stamps = [str(path.stat().st_mtime_ns) for path in paths]
        return fingerprint(" ".join([__version__, *stamps]).encode())

    def _file(self, path: Path) -> Path:
        name = fingerprint(os.fsencode(path.absolute()))
        return self.folder / name[:2] / f"{name[2:]}.json"


def _now(path: str) -> str:
    try:
        return fingerprint(read_bytes(Path(path)))
    except (UnreadableSource, ValueError):  # a name that no file can have
        return ABSENT


def _write_new(path: Path, content: bytes) -> None:
    """A new file, or none: what stands there already, be it a link, is not written through."""
    with path.open("xb") as file:
        file.write(content)

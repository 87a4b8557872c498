"""What lint found last time. A file is judged again only when it, a file it imports, or Sleuth changed."""

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from sleuth._version import __version__
from sleuth.lint.reports import FileReport, StoredReport
from sleuth.quick_dataclass import dataclass
from sleuth.shapes import Damage, read
from sleuth.source.parsed_file import ABSENT, fingerprint

LARGEST = 16 * 1024 * 1024  # bytes of one file's report; the largest seen has 200 kB


@dataclass(frozen=True)
class Kept:
    """A file of the cache."""

    rules: str
    report: StoredReport


@dataclass(frozen=True)
class Cache:
    """A folder with one small file for each file linted. Losing it costs time only."""

    folder: Path

    def recall(self, path: Path, data: bytes) -> FileReport | None:
        """What was found in this very content, if nothing that was consulted has changed since."""
        kept = read(Kept, self._file(path), LARGEST)
        if isinstance(kept, Damage) or kept.rules != self.rules or kept.report.path != str(path):
            return None
        if kept.report.fingerprint != fingerprint(data):
            return None
        if any(_now(other) != then for other, then in kept.report.consulted.items()):
            return None
        return kept.report.report

    def remember(self, path: Path, report: FileReport) -> None:
        """Keep a report. A folder that cannot be written to is no reason to fail."""
        import json

        file = self._file(path)
        scratch = file.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            with suppress(FileExistsError), (self.folder / ".gitignore").open("x") as mark:
                mark.write("*\n")  # not through a link that leads nowhere: "x" follows none
            text = json.dumps({"rules": self.rules, "report": report.to_dict()})
            scratch.write_text(text, "utf-8")
            scratch.replace(file)

    @cached_property
    def rules(self) -> str:
        """Changes whenever Sleuth itself does."""
        package = Path(__file__).resolve().parent.parent
        stamps = [str(path.stat().st_mtime_ns) for path in sorted(package.rglob("*.py"))]
        return fingerprint(" ".join([__version__, *stamps]).encode())

    def _file(self, path: Path) -> Path:
        name = fingerprint(str(path.absolute()).encode())
        return self.folder / name[:2] / f"{name[2:]}.json"


def _now(path: str) -> str:
    try:
        return fingerprint(Path(path).read_bytes())
    except OSError:
        return ABSENT

"""What lint found last time. A file is judged again only when it, a file it imports, or Sleuth changed."""

import os
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from sleuth._version import __version__
from sleuth.lint.reports import FileReport
from sleuth.own_causes import own_folders
from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import ABSENT, fingerprint


@dataclass(frozen=True)
class Cache:
    """A folder with one small file for each file linted. Losing it costs time only."""

    folder: Path

    def recall(self, path: Path, data: bytes) -> FileReport | None:
        """What was found in this very content, if nothing that was consulted has changed since."""
        import json

        try:
            stored = json.loads(self._file(path).read_text("utf-8"))
            if stored["rules"] != self.rules or stored["report"]["path"] != str(path):
                return None
            if stored["report"]["fingerprint"] != fingerprint(data):
                return None
            if any(_now(other) != then for other, then in stored["report"]["consulted"].items()):
                return None
            return FileReport.from_dict(stored["report"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remember(self, path: Path, report: FileReport) -> None:
        """Keep a report. A folder that cannot be written to is no reason to fail."""
        import json

        file = self._file(path)
        scratch = file.with_suffix(f".{os.getpid()}.tmp")
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            if not (mark := self.folder / ".gitignore").exists():
                mark.write_text("*\n")
            text = json.dumps({"rules": self.rules, "report": report.to_dict()})
            scratch.write_text(text, "utf-8")
            scratch.replace(file)

    @cached_property
    def rules(self) -> str:
        """Changes whenever Sleuth itself does, or a cause of the project's own."""
        package = Path(__file__).resolve().parent.parent
        paths = [path for folder in (package, *own_folders()) for path in sorted(folder.rglob("*.py"))]
        stamps = [str(path.stat().st_mtime_ns) for path in paths]
        return fingerprint(" ".join([__version__, *stamps]).encode())

    def _file(self, path: Path) -> Path:
        name = fingerprint(str(path.absolute()).encode())
        return self.folder / name[:2] / f"{name[2:]}.json"


def _now(path: str) -> str:
    try:
        return fingerprint(Path(path).read_bytes())
    except OSError:
        return ABSENT

"""Where a watched run leaves its files: the archive or, where that cannot be written, a scratch folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sleuth.errors import SleuthError
from sleuth.record.entries import Record
from sleuth.record.json_lines import read


@dataclass(frozen=True)
class Files:
    """The three files a run writes while it goes on."""

    record_path: Path
    stdout_path: Path
    stderr_path: Path


@contextmanager
def files_of(run: Any) -> Iterator[Files]:
    """A run that is not recorded is still judged, from files that are gone afterwards."""
    if run.recording:
        yield Files(run.record_path, run.stdout_path, run.stderr_path)
        return
    with TemporaryDirectory(prefix="sleuth-") as scratch:
        folder = Path(scratch)
        yield Files(folder / "record.jsonl", Path("/dev/null"), Path("/dev/null"))


def kept_record(name: str) -> Record:
    """By the name of a run in the archive, or a record file."""
    path = Path(name)
    if path.is_file():
        record = read(path)
        if not record.items:
            raise SleuthError(" ".join([f"{name} holds no record of a run.", *record.damage]))
        return record
    from sleuth import archive
    from sleuth.watching.judging import load, of_run
    from sleuth.watching.process import records

    run = archive.find(name)
    several = len(records(run.record_path)) > 1 and run.record_path.is_file()
    record = load(run.record_path) if several else of_run(run.folder)
    if not record.items:
        raise SleuthError(
            " ".join([f"Run {run.id} kept no record: there is nothing to judge.", *record.damage])
        )
    return record

"""A run's folder in the archive: meta.json, end.json and record cut from the input; listed and looked at."""

import tempfile
from pathlib import Path

from sleuth.archive import listed, listing
from sleuth.errors import SleuthError
from sleuth.show import runs as show

NAME = "20260101-000000-abcd"


def one(data: bytes) -> None:
    meta, _, rest = data.partition(b"\0")
    end, _, record = rest.partition(b"\0")
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder, "runs", NAME)
        run.mkdir(parents=True)
        for name, content in (("meta.json", meta), ("end.json", end), ("record.jsonl", record)):
            (run / name).write_bytes(content)
        try:
            listed(Path(folder))
            found = listing.find(NAME, Path(folder))
            show.page(found, found.all_series())
        except SleuthError:
            return

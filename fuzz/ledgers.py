"""The ledger of a case, weighed."""

import tempfile
from pathlib import Path

from sleuth.diagnosis import ledger
from sleuth.errors import SleuthError


def one(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as home:
        place = ledger.folder(Path(home))
        place.mkdir(parents=True)
        (place / "case.jsonl").write_bytes(data)
        try:
            found = ledger.find_case("case", Path(home))
            found.board()
            found.tests()
        except SleuthError:
            return

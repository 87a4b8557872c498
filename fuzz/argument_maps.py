"""An argument map: read, checked, weighed, drawn."""

from sleuth.errors import SleuthError
from sleuth.evidence.check import check_map
from sleuth.evidence.credence import weigh
from sleuth.evidence.reader import read_map
from sleuth.show import evidence


def one(data: bytes) -> None:
    try:
        found = read_map(data.decode("utf-8", "replace"))
        evidence.check_text(check_map(found), False)
        evidence.tree(weigh(found))
    except SleuthError:
        return

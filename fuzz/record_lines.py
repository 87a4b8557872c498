"""The lines of a record, judged."""

from sleuth.errors import SleuthError
from sleuth.record.entries import Record
from sleuth.record.json_lines import parse
from sleuth.watching.judging import judge


def one(data: bytes) -> None:
    try:
        judge(Record(tuple(parse(data.decode("utf-8", "replace").splitlines()))))
    except SleuthError:
        return

"""A notebook: its JSON, its cells as one program, places in them."""

from pathlib import Path

from sleuth.lint.work import report_of


def one(data: bytes) -> None:
    report = report_of(Path("a.ipynb"), data, remembering=False)
    assert report.trouble is None or "own rule failed" not in report.trouble.reason, report.trouble

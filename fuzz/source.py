"""Lint of one text: decoding, parsing, mending, the abstract run, every rule."""

from pathlib import Path

from sleuth.lint import Selection, lint_source
from sleuth.lint.files import read_any
from sleuth.source.parsed_file import Project, UnreadableSource

CAUSES = Selection(notes=True).causes()
WORDS = "\n# torch loss backward " + " ".join(word for cause in CAUSES.values() for word in cause.needs)


def one(data: bytes) -> None:
    try:
        source = read_any(Path("a.py"), data + WORDS.encode())
    except UnreadableSource:
        return
    lint_source(source, Selection(notes=True), CAUSES, Project())

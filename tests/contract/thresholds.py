"""Thresholds in the code, and which of them say where they come from."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "sleuth"
# Rooms in which a number decides what is said of somebody's code; elsewhere it is a width or a limit.
ROOMS = ("causes", "diagnosis", "experiments", "judge", "measure", "places", "record", "rl", "stuck_metric")
# What a comment says of a number that was not made up: a measurement, a work, a standard.
ORIGIN = re.compile(
    r"\b(seen|measured|source|see|simulated|fitted|largest|longest|most of|default|customary|by [A-Z]\w+|"
    r"\d+ of \d+|http)\b"
)


@dataclass(frozen=True)
class Threshold:
    """A named number at the top of a module, with the words that stand beside it."""

    file: str
    name: str
    value: str
    words: str

    @property
    def has_origin(self) -> bool:
        return ORIGIN.search(self.words) is not None

    def __str__(self) -> str:
        return f"{self.file} {self.name} = {self.value}"


def thresholds(path: Path, root: Path = SOURCE) -> Iterator[Threshold]:
    text = path.read_text("utf-8")
    comments = dict(_comments(text))
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and _numbers(node.value) and isinstance(node.targets[0], ast.expr):
            lines = range(_first(comments, node.lineno), (node.end_lineno or node.lineno) + 1)
            words = " ".join(comments[line] for line in lines if line in comments)
            name = ast.unparse(node.targets[0]).strip("()")
            yield Threshold(path.relative_to(root).as_posix(), name, ast.unparse(node.value), words)


def everywhere() -> Iterator[Threshold]:
    for room in ROOMS:
        for path in sorted((SOURCE / room).rglob("*.py")):
            yield from thresholds(path)


def _first(comments: dict[int, str], line: int) -> int:
    """The first line of the comment that stands right above."""
    while line - 1 in comments:
        line -= 1
    return line


def _comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def _numbers(value: ast.expr) -> bool:
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    plain = [part.operand if isinstance(part, ast.UnaryOp) else part for part in parts]
    return bool(plain) and all(
        isinstance(part, ast.Constant) and type(part.value) in (int, float) for part in plain
    )

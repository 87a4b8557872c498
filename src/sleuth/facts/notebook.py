"""Notebooks: the code cells as one program, and back from its lines to cell and line."""

import ast
import re
from bisect import bisect_right
from typing import Any

from sleuth.facts.source import Source, UnreadableSource, parse_source
from sleuth.facts.words import Pattern
from sleuth.finding import Where
from sleuth.records import replace

# IPython's own syntax: magics, shell escapes, help. A line of it is no Python and holds no training code.
_MAGIC = Pattern(r"^\s*(%|!|\?|[\w.]+\?{1,2}\s*$)")
_ASSIGNED_SHELL = Pattern(r"^(\s*)(\w+)\s*=\s*[!%].*$")


def read_notebook(path: str, text: str) -> Source:
    """One `Source` for all code cells that parse; its `cells` are the first lines of each."""
    import json

    try:
        cells = json.loads(text)["cells"]
        codes = [_code(cell) for cell in cells if cell.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UnreadableSource(path, "it is not a Jupyter notebook.") from None
    lines: list[str] = []
    starts: list[int] = []
    for code in codes:
        starts.append(len(lines) + 1)
        lines += code if _parses(code) else [""] * len(code)
    source = parse_source(path, "\n".join(lines) + "\n")
    source.cells = tuple(starts)
    return source


def _code(cell: dict[str, Any]) -> list[str]:
    text = cell["source"]
    raw = "".join(text) if isinstance(text, list) else str(text)
    if raw.lstrip().startswith("%%"):
        first = raw.lstrip().splitlines()[0]
        keeps_python = re.match(r"%%(time|timeit|capture|prun)\b", first)
        raw = raw if keeps_python else "\n" * raw.count("\n")
    return [_plain(line) for line in raw.split("\n")]


def _plain(line: str) -> str:
    """A line of IPython's own syntax becomes one that does nothing, so that line numbers stay."""
    if _MAGIC.match(line):
        return " " * (len(line) - len(line.lstrip())) + "pass"
    return _ASSIGNED_SHELL.sub(r"\1\2 = None", line)


def _parses(code: list[str]) -> bool:
    try:
        ast.parse("\n".join(code) + "\n")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def in_cell(source: Source, where: Where) -> Where:
    """A place in the joined program as cell (counted from 1) and line within it."""
    if not source.cells or where.line is None or where.path != source.path:
        return where
    cell = bisect_right(source.cells, where.line)
    first = source.cells[cell - 1]
    end = where.end_line - first + 1 if where.end_line is not None else None
    return replace(where, cell=cell, line=where.line - first + 1, end_line=end)

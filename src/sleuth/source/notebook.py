"""Notebooks: the code cells as one program, and back from its lines to cell and line."""

import ast
import re
from bisect import bisect_right
from typing import Any

from sleuth.finding import Where
from sleuth.quick_dataclass import replace
from sleuth.source.fragments import mended
from sleuth.source.parsed_file import MAX_BYTES, Source, UnreadableSource, parse_source
from sleuth.source.word_search import Pattern

# IPython's own syntax: magics, shell escapes, help. A line of it is no Python and holds no training code.
_MAGIC = Pattern(r"^\s*(%|!|\?|[\w.]+\?{1,2}\s*$)")
_LINE = Pattern(r"\bline (\d+)\b(?! of \S+\.py)")
# With the pictures in its outputs, which are dropped while it is read; its code may be as long as any file's.
MAX_NOTEBOOK_BYTES = 20_000_000
_ASSIGNED_SHELL = Pattern(r"^(\s*)(\w+)\s*=\s*[!%].*$")


def read_notebook(path: str, text: str) -> Source:
    """One `Source` for all code cells that parse; its `cells` are the first lines of each."""
    import json

    try:
        read = json.loads(text, object_hook=_without_outputs)
        codes = [_code(cell) for cell in _cells(read) if cell.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError):
        raise UnreadableSource(path, "it is not a Jupyter notebook.") from None
    length = sum(len(line) for code in codes for line in code)
    if length > MAX_BYTES:
        raise UnreadableSource(path, f"its code is {length:,} bytes long; files so large are generated.")
    lines: list[str] = []
    starts: list[int] = []
    gaps: list[int] = []
    trouble: tuple[int, str] | None = None
    for code in codes:
        before = len(lines)
        starts.append(before + 1)
        error = _error(code)
        if error is None:
            lines += code
            continue
        trouble = trouble or (before + (error.lineno or 1), error.msg)
        kept, left_out = _as_far_as_it_goes(code)
        lines += kept
        gaps += [before + number for number in left_out]
    source = parse_source(path, "\n".join(lines) + "\n")
    source.cells, source.repaired, source.gaps = tuple(starts), trouble, tuple(gaps)
    return source


def _without_outputs(entry: dict[str, Any]) -> dict[str, Any]:
    """Pictures and tables are most of many a notebook, and are let go one by one."""
    entry.pop("outputs", None)
    entry.pop("attachments", None)
    return entry


def _cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Old notebooks (format 3) keep their cells on worksheets."""
    cells: list[dict[str, Any]] = (
        notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
    )
    return cells


def _as_far_as_it_goes(code: list[str]) -> tuple[list[str], list[int]]:
    """The lines of a broken cell that can be read, at their places, and the numbers of those that cannot."""
    found = mended("\n".join(code))
    if found is not None and len(found.lines) == len(code) and _error(list(found.lines)) is None:
        return list(found.lines), list(found.gaps)
    return [""] * len(code), list(range(1, len(code) + 1))


def _code(cell: dict[str, Any]) -> list[str]:
    text = cell["source"] if "source" in cell else cell["input"]
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


def _error(code: list[str]) -> SyntaxError | None:
    try:
        ast.parse("\n".join(code) + "\n")
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error) or "it is nested too deeply to be parsed")
    return None


def cell_of(source: Source, line: int) -> tuple[int, int]:
    """The cell, counted from 1, that a line of the joined program stands in, and its line there."""
    cell = bisect_right(source.cells, line)
    return cell, line - source.cells[cell - 1] + 1


def in_cells(source: Source, text: str, cell: int | None) -> str:
    """What is said of lines of the joined program, said of lines of cells."""

    def told(mention: re.Match[str]) -> str:
        if not 0 < int(mention[1]) <= len(source.lines):
            return mention[0]
        where, line = cell_of(source, int(mention[1]))
        return f"line {line}" if where == cell else f"line {line} of cell {where}"

    return _LINE.sub(told, text)


def in_cell(source: Source, where: Where) -> Where:
    """A place in the joined program as cell (counted from 1) and line within it."""
    if not source.cells or where.line is None or where.path != source.path:
        return where
    cell, line = cell_of(source, where.line)
    end = where.end_line - where.line + line if where.end_line is not None else None
    return replace(where, cell=cell, line=line, end_line=end)

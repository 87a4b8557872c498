"""Repairs in notebooks: the edits of the joined program, brought back into the cells they belong to."""

import json
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from sleuth.finding import Edit, Finding
from sleuth.lint.fix import edited, fitting, with_ends
from sleuth.quick_dataclass import replace

_INDENTS = (1, 2, 4, None, "\t")  # as notebook programs write them


def repaired(text: str, findings: list[Finding]) -> tuple[str, int]:
    """A notebook's text with its findings repaired, and how many were.

    Only where the very same file would come out if nothing had changed: the repair of one line must not show
    as a change of a thousand.
    """
    notebook = json.loads(text)
    style = _style(notebook, text)
    cells = [cell for cell in notebook.get("cells", ()) if cell.get("cell_type") == "code"]
    if style is None or not cells:
        return text, 0
    codes = ["".join(cell["source"]) for cell in cells]
    starts = [1]
    for code in codes:
        starts.append(starts[-1] + len(code.split("\n")))
    possible = [finding for finding in findings if all(_fits(edit, codes, starts) for edit in finding.edits)]
    chosen, count = fitting(possible)
    for number, (cell, code) in enumerate(zip(cells, codes, strict=True)):
        first, behind = starts[number], starts[number + 1]
        ours = [_moved(edit, 1 - first) for edit in chosen if first <= edit.line < behind]
        if ours:
            code = edited(code, ours)
            cell["source"] = with_ends(code) if isinstance(cell["source"], list) else code
    return style(notebook), count


def _fits(edit: Edit, codes: list[str], starts: list[int]) -> bool:
    """Within one cell, and not before a `%%magic`, which must stay the first line."""
    number = bisect_right(starts, edit.line) - 1
    if number >= len(codes) or edit.end_line >= starts[number + 1]:
        return False
    return edit.line > starts[number] or codes[number].lstrip()[:2] != "%%"


def _moved(edit: Edit, by: int) -> Edit:
    return replace(edit, line=edit.line + by, end_line=edit.end_line + by)


def _style(notebook: dict[str, Any], text: str) -> Callable[[dict[str, Any]], str] | None:
    """How the file was written, as a function that writes so again; None where nothing usual fits."""
    for indent in _INDENTS:
        for plain in (False, True):
            for end in ("\n", ""):

                def written(
                    content: dict[str, Any],
                    indent: int | str | None = indent,
                    plain: bool = plain,
                    end: str = end,
                ) -> str:
                    return json.dumps(content, indent=indent, ensure_ascii=plain) + end

                if written(notebook) == text:
                    return written
    return None

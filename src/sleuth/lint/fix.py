"""Repairs: the edits that findings carry, as one diff a file, written only when asked."""

import difflib
import io
from collections.abc import Iterable
from pathlib import Path

from sleuth.files import write_whole
from sleuth.finding import Edit, Finding
from sleuth.lint.check import overlap
from sleuth.quick_dataclass import dataclass
from sleuth.source.parsed_file import encoding_of, read_bytes

LINE_END = "\r\n"


@dataclass(frozen=True)
class Repair:
    """A file before and after, line ends and all; `count` findings are taken care of."""

    path: Path
    before: str
    after: str
    count: int
    encoding: str = "utf-8"

    def diff(self) -> str:
        lines = difflib.unified_diff(
            with_ends(self.before),
            with_ends(self.after),
            f"a/{self.path}",
            f"b/{self.path}",
        )
        return "".join(f"{line.rstrip(LINE_END)}\n" for line in lines)


def repairs(findings: Iterable[Finding], unsafe: bool = False) -> list[Repair]:
    """The repairs that findings propose; where two overlap, the surer one is taken."""
    by_file: dict[str, list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: -finding.credence):
        if finding.edits and (unsafe or all(edit.safe for edit in finding.edits)):
            by_file.setdefault(finding.edits[0].path, []).append(finding)
    planned = []
    for path, group in sorted(by_file.items()):
        if not path.endswith((".py", ".ipynb")):
            continue  # standard input
        data = read_bytes(Path(path))
        encoding = encoding_of(data)
        before = data.decode(encoding)
        after, count = _in_a_notebook(before, group) if path.endswith(".ipynb") else apply(before, group)
        if after != before:
            planned.append(Repair(Path(path), before, after, count, encoding))
    return planned


def _in_a_notebook(text: str, findings: list[Finding]) -> tuple[str, int]:
    from sleuth.lint.notebooks import repaired

    return repaired(text, findings)


def write(planned: Iterable[Repair]) -> None:
    for repair in planned:
        write_whole(repair.path, repair.after.encode(repair.encoding))


def apply(text: str, findings: list[Finding]) -> tuple[str, int]:
    """Apply the edits of as many findings as fit together."""
    chosen, count = fitting(findings)
    return edited(text, chosen), count


def fitting(findings: list[Finding]) -> tuple[list[Edit], int]:
    """The edits of as many findings as fit together, and their number."""
    chosen: list[Edit] = []
    count = 0
    for finding in findings:
        new = [edit for edit in finding.edits if edit not in chosen]
        if not any(overlap(edit, other) for edit in new for other in chosen):
            chosen += new
            count += 1
    return chosen, count


def edited(text: str, chosen: Iterable[Edit]) -> str:
    """Edits applied from the end of the text to its start."""
    lines, starts = with_ends(text), [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + column - 1

    for edit in sorted(chosen, key=lambda edit: (edit.line, edit.column), reverse=True):
        begin, end = offset(edit.line, edit.column), offset(edit.end_line, edit.end_column)
        text = text[:begin] + edit.text.replace("\n", ending) + text[end:]
    return text


def with_ends(text: str) -> list[str]:
    """With their ends, whichever they are; as Python counts lines, not as `splitlines` does."""
    return list(io.StringIO(text, newline=""))

"""Code that does not parse as it stands: pasted pieces, unfinished lines, Python 2. Mended line by line.

Every line keeps its number and every character its column, so that what is found in the rest points to where
it stands in the text.
"""

import ast
import re

from sleuth.quick_dataclass import dataclass

MOST_MENDS = 30  # attempts to make a text parse before giving up
MOST_READ = 4_000_000  # characters, all attempts together: a large file is not read thirty times
_PROMPT = re.compile(r"^(>>>|\.\.\.)( |$)")
_INNER = re.compile(r"expected an indented block after .* on line (\d+)")
_OPENS = re.compile(r"\s*(async\s+)?(def|class|for|while|if|elif|else|with|try|except|finally)\b")
_CAUGHT_BY_COMMA = re.compile(r"^(\s*except\s+[\w.]+)\s*,\s*(\w+)\s*:")
_OLD_STATEMENT = re.compile(r"\s*(print|exec|raise)\b")


@dataclass(frozen=True)
class Mended:
    """What could be parsed, and the lines of it that say nothing now but may have said something before.

    `whole`: nothing had to be changed, the text was only pasted with its indentation or its prompts.
    """

    tree: ast.Module
    gaps: tuple[int, ...]
    whole: bool
    lines: tuple[str, ...]  # as they were parsed


@dataclass
class _Lines:
    """The text under repair. `inside`: it stands in an `if True:` of ours, as it begins indented."""

    lines: list[str]
    inside: bool = False
    gaps: set[int] | None = None

    def parsed(self) -> ast.Module:
        body = "\n".join(self.lines) + "\n"
        if not self.inside:
            return ast.parse(body)
        tree = ast.parse("if True:\n" + body)
        first, *rest = tree.body
        tree.body = [*(first.body if isinstance(first, ast.If) else [first]), *rest]
        return tree

    def drop(self, number: int, keep_place: bool) -> None:
        """Let a line say nothing: `pass` where a statement is wanted."""
        line = self.lines[number - 1]
        if not _OLD_STATEMENT.match(line) and line.strip():
            self.gaps = {*(self.gaps or ()), number}
        self.lines[number - 1] = f"{_indent(line)}pass" if keep_place else ""


def mended(text: str) -> Mended | None:
    """The text with as little taken out as is needed for the rest to parse."""
    work = _Lines(_without_prompts(text.split("\n")))
    first = next((line for line in work.lines if line.strip() and not line.lstrip().startswith("#")), "")
    work.inside = bool(_indent(first))
    for mends in range(min(MOST_MENDS, MOST_READ // (len(text) + 1))):
        try:
            tree = work.parsed()
        except SyntaxError as error:
            if not _mend(work, error):
                return None
            continue
        except (ValueError, RecursionError, MemoryError):
            return None
        if work.inside:
            ast.increment_lineno(tree, -1)
        says_something = any(not isinstance(statement, ast.Pass) for statement in tree.body)
        if not says_something:
            return None
        return Mended(tree, tuple(sorted(work.gaps or ())), mends == 0, tuple(work.lines))
    return None


def _mend(work: _Lines, error: SyntaxError) -> bool:
    """Change one line, for the better or the shorter. False where nothing is left to change."""
    number = min(error.lineno or 0, len(work.lines) + work.inside) - work.inside
    if number < 1:
        return False
    line = work.lines[number - 1]
    if opener := _INNER.search(error.msg):
        return _fill(work, int(opener[1]) - work.inside)
    if (old := _CAUGHT_BY_COMMA.sub(r"\1 as \2:", line)) != line:
        work.lines[number - 1] = old
    elif error.msg == "expected ':'" and _OPENS.match(line) and not line.rstrip().endswith(":"):
        work.lines[number - 1] = f"{line.partition('#')[0].rstrip()}:"
    elif isinstance(error, IndentationError) or line.strip() in ("", "pass"):
        return _blank(work, number)
    else:
        work.drop(number, keep_place=True)
    return True


def _fill(work: _Lines, opener: int) -> bool:
    """Give the block that opens on a line something to hold: on its own line, so that none is added."""
    line = work.lines[opener - 1]
    if not line.rstrip().endswith(":"):
        return _blank(work, opener)
    work.lines[opener - 1] = f"{line.rstrip()} pass"
    return True


def _blank(work: _Lines, number: int) -> bool:
    """Empty the line, or the last one before it that is not empty: an error may be told at the end."""
    while number > 0 and not work.lines[number - 1].strip():
        number -= 1
    if number < 1:
        return False
    work.drop(number, keep_place=False)
    return True


def _without_prompts(lines: list[str]) -> list[str]:
    """A pasted session: prompts become blanks, and what the interpreter answered goes."""
    if not any(line.startswith(">>> ") for line in lines):
        return lines
    return [f"    {line[4:]}" if _PROMPT.match(line) else "" for line in lines]


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]

"""Where text leaves Sleuth for a terminal, a log or a page: characters that act are shown, not sent.

Names of files, runs and metrics, messages and source lines are other people's. An escape sequence in one of
them would move the cursor or set a title, an override of direction would show another word than the one that
is there, and `::error::` at the start of a line is a command to a CI system.
"""

import os
import re
import sys
from typing import TextIO

# Controls but for tab and line end; marks and overrides of direction (CVE-2021-42574); separators of lines;
# halves of characters, as names that are no UTF-8 hold them; and two that no XML may hold.
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# The colours and weights that Sleuth itself writes; none that conceals, blinks or swaps.
_COLOUR = re.compile(r"\x1b\[(?:(?:38;2;\d+;\d+;\d+|[0-4]|2[2-4]|3[1-79]|4[09]|9[0-7])(?:;|(?=m)))*m")
# GitHub reads `::command` at the start of a line; `##[command]`, Azure's and TeamCity's also within one.
_COMMAND = re.compile(r"^(?=\s*::)(\s*):|#(?=#(?:vso|teamcity)?\[)", re.M)


CLEAR_LINE = "\r\x1b[K"


def visible(text: str) -> str:
    """The same text where nothing acts: an escape is shown as `\\x1b`, the others as JSON writes them."""
    return _ACTING.sub(_shown, text)


def one_line(text: str) -> str:
    """A name within a line: with `visible`, and line ends and tabs shown as well."""
    return visible(text.replace("\n", "\\n").replace("\t", "\\t"))


def harmless(text: str) -> str:
    """Visible, and no line of it a command to a CI system."""
    return visible(_COMMAND.sub(_disarmed, text))


def say(text: str, err: bool = False, end: str = "\n", commands: bool = False, redraw: bool = False) -> None:
    """Print. Only text with colours needs the library that knows which terminals show them.

    `commands`: the text is a format that speaks to a CI system, and has escaped what it quotes.
    `redraw`: over the line that stands there.
    """
    stream = sys.stderr if err else sys.stdout
    told = text if commands else _COMMAND.sub(_disarmed, text)
    shown = _fitting(_with_colours(told, coloured()), stream)
    if not redraw and "\x1b" not in shown:
        print(shown, file=stream, end=end)
        return
    import click

    click.echo(f"{CLEAR_LINE if redraw else ''}{shown}{end}", file=stream, nl=False)


def coloured() -> bool:
    """Whether who reads standard output sees colours, and wants them."""
    return sys.stdout is not None and sys.stdout.isatty() and "NO_COLOR" not in os.environ


def _with_colours(text: str, kept: bool) -> str:
    """Visible, but for colours, `kept` or left out: those of others do no harm, and look like Sleuth's."""
    parts, at = [], 0
    for colour in _COLOUR.finditer(text):
        parts += [visible(text[at : colour.start()]), colour[0] if kept else ""]
        at = colour.end()
    return "".join([*parts, visible(text[at:])])


def _fitting(text: str, stream: TextIO) -> str:
    """In the letters that the stream can write: an ASCII terminal is sent `\\xb7` for a dot."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text if text.isascii() else text.encode(encoding, "backslashreplace").decode(encoding)


def _shown(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x20 else f"\\u{code:04x}"


def _disarmed(match: re.Match[str]) -> str:
    return f"{match[1]}\\u003a" if match[0].endswith(":") else "\\u0023"

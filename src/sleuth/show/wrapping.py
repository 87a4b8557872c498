"""Paragraphs on a terminal: as wide as it is, and each line below the text it belongs to."""

import shutil
import textwrap

WIDEST, NARROWEST = 100, 40  # columns of a page


def page_width(asked: int | None = None) -> int:
    """The terminal's width within reason; in a pipe the widest."""
    columns = shutil.get_terminal_size((WIDEST, 24)).columns if asked is None else asked
    return max(NARROWEST, min(WIDEST, columns))


def wrapped(text: str, width: int, indent: int, head: str = "", hang: int | None = None) -> list[str]:
    """Lines of a paragraph. Those after the first stand below its text, behind the head, or at `hang`."""
    below = indent + len(head) if hang is None else hang
    lines = textwrap.wrap(
        head + text,
        width,
        initial_indent=" " * indent,
        subsequent_indent=" " * below,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines or [" " * indent + head.rstrip()]

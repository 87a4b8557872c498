"""The frame of every page that Sleuth writes: one sheet, light and dark by the system, nothing fetched."""

import re
from functools import cache
from pathlib import Path

from sleuth.markup import escape

SHEET = Path(__file__).with_name("sleuth.css")


@cache
def style() -> str:
    """The sheet without its comments."""
    return re.sub(r"/\*.*?\*/\n?", "", SHEET.read_text("utf-8"), flags=re.DOTALL)


def document(title: str, body: str, head: str = "") -> str:
    """A page that stands alone."""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>{escape(title)}</title><style>{style()}</style>{head}</head>"
        f"<body><main>{body}</main></body></html>\n"
    )


def fragment(body: str) -> str:
    """A part of somebody else's page (a notebook): the sheet reaches no further than the part itself."""
    own = re.sub(r"(?<![\w.-])(:root|body)(?![\w-])", ".sleuth", style())
    return f"<div class='sleuth'><style>@scope (.sleuth) {{{own}}}</style>{body}</div>"

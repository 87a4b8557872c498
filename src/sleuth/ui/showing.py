"""Templates and the few words they share. Whatever is shown is escaped and freed of control characters."""

import re
import time
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from sleuth.show import charts
from sleuth.show.heat_maps import heat
from sleuth.show.runs import duration, number

FOLDER = Path(__file__).parent
# What a terminal would obey, and marks that turn the direction of a line: neither belongs on a page.
_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def clean(text: str) -> str:
    return _CONTROL.sub("�", _ANSI.sub("", text).replace("\r\n", "\n"))


def _finalized(value: Any) -> Any:
    """What templates print: text is cleaned, markup made by our own drawing is let through."""
    if isinstance(value, Markup):
        return value
    return clean(value) if isinstance(value, str) else "" if value is None else value


@cache
def templates() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        finalize=_finalized,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "duration": duration,
        "number": number,
        "clock": clock,
        "ago": ago,
        "size": size,
        "part": part,
        "percent": percent,
        "marked": marked,
    }
    made.globals |= {
        "heat": drawn(heat),
        "bar": drawn(charts.bar),
        "spark": drawn(charts.spark),
        "chart": drawn(charts.figure),
    }
    return made


def drawn(draw: Callable[..., str]) -> Callable[..., Markup]:
    """A drawing of our own is markup; what it was given, it has escaped."""

    def as_markup(*given: Any, **named: Any) -> Markup:
        return Markup(_CONTROL.sub("�", draw(*given, **named)))

    return as_markup


def page(template: str, /, **content: Any) -> str:
    return templates().get_template(template).render(**content)


def part(text: object) -> str:
    """A piece of an address."""
    return quote(str(text), safe="")


def clock(seconds: float | None, day: bool = True) -> str:
    if not seconds:
        return "–"
    try:
        return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M" if day else "%H:%M")
    except (OverflowError, ValueError, OSError):
        return "–"


def ago(seconds: float) -> str:
    """How long ago, roughly; beyond a week the date says more."""
    passed = time.time() - seconds
    if passed > 7 * 86400 or passed < 0:
        return clock(seconds)
    for unit, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if passed >= length:
            return f"{int(passed // length)} {unit} ago"
    return "just now"


def size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def percent(share: float) -> str:
    return "<0.1 %" if 0 < share < 0.0005 else f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"


_INLINE = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\((https?://[^\s)]+)\)")


def marked(text: str) -> Markup:
    """The markdown of our own pages: paragraphs, lists, code, bold, links to the web; the rest is text."""
    blocks = re.split(r"\n\s*\n", _CONTROL.sub("�", text))
    return Markup("").join(_block(block) for block in _fenced(blocks))


def _fenced(blocks: list[str]) -> list[str]:
    """Blank lines within a fence do not end it."""
    joined: list[str] = []
    for block in blocks:
        if joined and joined[-1].count("```") % 2:
            joined[-1] += f"\n\n{block}"
        else:
            joined.append(block)
    return joined


def _block(block: str) -> Markup:
    block = block.strip("\n")
    if block.lstrip().startswith("```"):
        return Markup("<pre>{}</pre>").format("\n".join(block.strip().split("\n")[1:-1]))
    if head := re.match(r"(#{1,4}) (.+)", block):
        rest = block[head.end() :].strip()
        return Markup("<h{0}>{1}</h{0}>").format(min(4, len(head[1]) + 1), _words(head[2])) + (
            _block(rest) if rest else Markup("")
        )
    if re.match(r"[-*] |\d+\. ", block):
        items = re.split(r"\n(?=[-*] |\d+\. )", block)
        return Markup("<ul>{}</ul>").format(
            Markup("").join(
                Markup("<li>{}</li>").format(_words(re.sub(r"^([-*]|\d+\.) ", "", item))) for item in items
            )
        )
    return Markup("<p>{}</p>").format(_words(block)) if block.strip() else Markup("")


def _words(text: str) -> Markup:
    parts, place = [], 0
    for found in _INLINE.finditer(text):
        parts.append(escape(text[place : found.start()]))
        parts.append(_inline(found))
        place = found.end()
    return Markup("").join([*parts, escape(text[place:])])


def _inline(found: "re.Match[str]") -> Markup:
    code, bold, label, link = found.groups()
    if code is not None:
        return Markup("<code>{}</code>").format(code)
    if bold is not None:
        return Markup("<b>{}</b>").format(bold)
    return Markup('<a href="{}" rel="noreferrer noopener" target="_blank">{}</a>').format(link, label)

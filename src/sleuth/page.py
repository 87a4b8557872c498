"""A cause's page: the docstring of its module, taken apart."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

HEADINGS = ("What happens", "How to tell", "How to fix", "Often mistaken for", "Sources")

_BULLET = re.compile(r"^- (?P<label>\*\*[^*]+\*\*|`[^`]+`|[a-z0-9-]+): ?", re.MULTILINE)


@dataclass(frozen=True)
class Citation:
    """One line of a page's sources: a key of `sources.toml`, and where in that work to look."""

    key: str
    where: str


@dataclass(frozen=True)
class Page:
    """What users read about a cause. `sections` maps each heading to its text."""

    summary: str
    sections: Mapping[str, str]

    @cached_property
    def tells(self) -> Mapping[str, str]:
        """Technique → what it sees, and `refuted by` → what would rule the cause out."""
        return _bullets(self.sections.get("How to tell", ""))

    @cached_property
    def mistaken_for(self) -> Mapping[str, str]:
        return _bullets(self.sections.get("Often mistaken for", ""))

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        bullets = _bullets(self.sections.get("Sources", ""))
        return tuple(Citation(key, where) for key, where in bullets.items())


def read_page(docstring: str) -> Page:
    """Split a docstring at its `## ` headings; what stands before the first is the summary."""
    head, *parts = re.split(r"^## (.+)$", docstring, flags=re.MULTILINE)
    titles, bodies = parts[0::2], parts[1::2]
    sections = {title.strip(): body.strip("\n") for title, body in zip(titles, bodies, strict=True)}
    return Page(summary=head.strip(), sections=sections)


def _bullets(text: str) -> dict[str, str]:
    """`- label: text` entries, wrapped lines joined."""
    marks = list(_BULLET.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    return {
        mark["label"].strip("*`"): " ".join(text[mark.end() : end].split())
        for mark, end in zip(marks, ends, strict=True)
    }

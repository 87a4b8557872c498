"""Text as comparable words: unicode, typography, markdown and PDF remains make no difference."""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

from sleuth.evidence.model import Span

RUN = 3  # words in a row that locate a quote in a long source

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_GLYPH = re.compile(r"\(cid:\d+\)")  # what PDF converters leave of bullets and symbols
_WORD = re.compile(r"[^\W_]+(?:['’\-‐‑][^\W_]+)*")


@dataclass(frozen=True)
class Words:
    """Words as written and as compared, and the line each stands on."""

    written: tuple[str, ...]
    plain: tuple[str, ...]
    lines: tuple[int, ...]

    @cached_property
    def letters(self) -> str:
        """All letters and digits in one string: line breaks, hyphens and split words are gone."""
        return "".join(self.plain)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Where in `letters` each word begins."""
        places, at = [], 0
        for word in self.plain:
            places.append(at)
            at += len(word)
        return tuple(places)

    @cached_property
    def runs(self) -> dict[tuple[str, ...], list[int]]:
        """Every run of a few words → where it begins."""
        table: dict[tuple[str, ...], list[int]] = {}
        for start in range(len(self.plain) - RUN + 1):
            table.setdefault(self.plain[start : start + RUN], []).append(start)
        return table

    def holder(self, letter: int) -> int:
        """The word that holds a letter."""
        return bisect_right(self.starts, letter) - 1

    def begins(self, letter: int) -> bool:
        """Whether a word begins at a letter (the end of the text counts as well)."""
        if letter >= len(self.letters):
            return True
        return self.starts[self.holder(letter)] == letter

    def within(self, span: Span) -> tuple[int, int]:
        """The words on these lines, as a half-open range."""
        return bisect_left(self.lines, span.first), bisect_right(self.lines, span.last)


def read_words(text: str) -> Words:
    written: list[str] = []
    plain: list[str] = []
    lines: list[int] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), 1):
        bare = _LINK.sub(r"\1", _GLYPH.sub(" ", unicodedata.normalize("NFKC", line)))
        for word in _WORD.findall(bare):
            if letters := "".join(sign for sign in word.casefold() if sign.isalnum()):
                written.append(word)
                plain.append(letters)
                lines.append(number)
    return Words(tuple(written), tuple(plain), tuple(lines))

"""Does a quote stand in its source? Gaps and changed words are named, and the lines where it was found."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from sleuth.evidence.model import Span
from sleuth.evidence.words import RUN, Words, read_words

Verdict = Literal["EXACT", "ELLIPSIS", "GAPS", "ALTERED", "MOVED", "MISSING", "NO-FILE"]

_STRICTNESS: tuple[Verdict, ...] = ("EXACT", "ELLIPSIS", "GAPS", "ALTERED", "MISSING")

# Share of a quote's words that must be found in order before we call it changed rather than missing. The 28
# quotes of a real map laid against unrelated sources reach 0.39 at most; the most heavily edited true quote
# among them had 0.86 (see docs/evidence.md).
FOUND = 0.6
STRAY_WORDS, STRAY_GAP = 2, 20  # so few matched words, so many words away from the rest, are chance
LONG_ENOUGH = 20  # letters; a stretch of this length may begin inside a word that a PDF glued together

_ELLIPSIS = re.compile(r"\[\s*(?:\.\.\.|…)\s*\]|\(\s*(?:\.\.\.|…)\s*\)|\.\s?\.\s?\.|…")
_BOLD = re.compile(r"\*\*(.+?)\*\*|__(.+?)__", re.DOTALL)


@dataclass(frozen=True)
class Comparison:
    """How a quote stands in its source; `bold` is the emphasised part alone, where there is one."""

    verdict: Verdict
    found: Span | None = None
    omitted: tuple[str, ...] = ()
    altered: tuple[str, ...] = ()
    bold: Verdict | None = None


def compare(quote: str, source: Words, anchor: Span | None = None) -> Comparison:
    """The quote against its source; the part in bold is held to the letter, the rest may have named gaps."""
    result = _located(quote, source, anchor)
    if result.found is None:
        return result
    parts = [_located(part, source, result.found) for part in _bold_parts(quote)]
    if parts:
        worst = max(parts, key=lambda part: _STRICTNESS.index(part.verdict))
        result = replace(result, bold=worst.verdict)
    if (
        anchor is not None
        and not anchor.holds(_span(result))
        and result.verdict in ("EXACT", "ELLIPSIS", "GAPS")
    ):
        return replace(result, verdict="MOVED")
    return result


def _span(result: Comparison) -> Span:
    assert result.found is not None
    return result.found


def _bold_parts(quote: str) -> list[str]:
    return [part for pair in _BOLD.findall(quote) for part in pair if read_words(part).plain]


def _located(quote: str, source: Words, anchor: Span | None) -> Comparison:
    parts = [part for part in (read_words(piece) for piece in _ELLIPSIS.split(quote)) if part.plain]
    if not parts:
        return Comparison("MISSING")
    found = _letter_by_letter([part.letters for part in parts], source, anchor)
    if found is not None:
        return Comparison("EXACT" if len(parts) == 1 else "ELLIPSIS", found)
    return _aligned(parts, source, anchor)


def _letter_by_letter(parts: list[str], source: Words, anchor: Span | None) -> Span | None:
    """Where all parts stand in order and unchanged; of several places the one nearest the anchor."""
    places = []
    for start in _occurrences(parts[0], source, 0):
        end: int | None = start + len(parts[0])
        for part in parts[1:]:
            following = next(_occurrences(part, source, end or 0), None)
            end = None if following is None else following + len(part)
            if end is None:
                break
        if end is not None:
            first, last = source.holder(start), source.holder(end - 1)
            places.append(Span(source.lines[first], source.lines[last]))
    return min(places, key=lambda span: (_distance(span, anchor), span.last - span.first), default=None)


def _occurrences(part: str, source: Words, start: int) -> Iterator[int]:
    while (place := source.letters.find(part, start)) >= 0:
        if len(part) >= LONG_ENOUGH or (source.begins(place) and source.begins(place + len(part))):
            yield place
        start = place + 1


def _distance(span: Span, anchor: Span | None) -> int:
    """Lines by which a span leaves the anchor."""
    if anchor is None:
        return 0
    return max(0, anchor.first - span.first) + max(0, span.last - anchor.last)


def _aligned(parts: list[Words], source: Words, anchor: Span | None) -> Comparison:
    """The quote's words laid along the source's words, as far as they go."""
    quote = tuple(word for part in parts for word in part.plain)
    written = tuple(word for part in parts for word in part.written)
    breaks, at = set(), 0
    for part in parts[:-1]:
        at += len(part.plain)
        breaks.add(at)
    region = _region(quote, source, anchor)
    if region is None:
        return Comparison("MISSING", altered=written)
    start, end = region
    blocks = _matching(quote, source.plain[start:end])
    if not blocks:
        return Comparison("MISSING", altered=written)
    laid = _Laid(quote, written, source, start, frozenset(breaks), blocks)
    omitted, altered = tuple(laid.omissions()), tuple(laid.changes())
    found = laid.span()
    if 1 - len(altered) / len(quote) < FOUND:
        return Comparison("MISSING", altered=altered)
    if altered:
        return Comparison("ALTERED", found, omitted, altered)
    if omitted:
        return Comparison("GAPS", found, omitted)
    return Comparison("ELLIPSIS" if breaks else "EXACT", found)


def _region(quote: tuple[str, ...], source: Words, anchor: Span | None) -> tuple[int, int] | None:
    """The stretch of the source that shares most runs of words with the quote, or else the anchored lines."""
    hits = sorted(
        (place, number)
        for number in range(len(quote) - RUN + 1)
        for place in source.runs.get(quote[number : number + RUN], ())
    )
    width = 3 * len(quote) + 400  # omissions of 180 words were seen
    best, window = (-1, 0), None
    first, inside = 0, Counter[int]()
    for place, number in hits:
        inside[number] += 1
        while place - hits[first][0] > width:
            inside -= Counter([hits[first][1]])
            first += 1
        span = Span(source.lines[hits[first][0]], source.lines[place])
        score = (len(inside), -_distance(span, anchor))
        if score > best:
            best, window = score, (hits[first][0], place)
    if window is None:
        return None if anchor is None else source.within(anchor)
    return max(0, window[0] - 30), min(len(source.plain), window[1] + RUN + 30)


def _matching(quote: tuple[str, ...], passage: tuple[str, ...]) -> list[tuple[int, int, int]]:
    """Runs of equal words (place in quote, in passage, length), without chance hits far from the rest."""
    matcher = SequenceMatcher(None, quote, passage, autojunk=False)
    blocks = [(block.a, block.b, block.size) for block in matcher.get_matching_blocks() if block.size]

    def lonely(number: int) -> bool:
        _, at, size = blocks[number]
        before = at - sum(blocks[number - 1][1:]) if number else STRAY_GAP
        after = blocks[number + 1][1] - at - size if number + 1 < len(blocks) else STRAY_GAP
        return len(blocks) > 1 and size <= STRAY_WORDS and min(before, after) >= STRAY_GAP

    return [block for number, block in enumerate(blocks) if not lonely(number)]


@dataclass(frozen=True)
class _Laid:
    """A quote laid along a stretch of its source."""

    quote: tuple[str, ...]
    written: tuple[str, ...]
    source: Words
    start: int
    breaks: frozenset[int]  # words of the quote before which an ellipsis stands
    blocks: list[tuple[int, int, int]]

    def gaps(self) -> Iterator[tuple[range, range]]:
        """What lies between matching runs: words of the quote, words of the source."""
        for (a, b, size), (next_a, next_b, _) in pairwise(self.blocks):
            yield range(a + size, next_a), range(self.start + b + size, self.start + next_b)

    def edges(self) -> Iterator[tuple[range, str]]:
        """Words of the quote before the first and after the last run, and the source's letters there."""
        (a, b, _), (last_a, last_b, size) = self.blocks[0], self.blocks[-1]
        head, tail = range(a), range(last_a + size, len(self.quote))
        here, there = self.start + b, self.start + last_b + size
        yield head, "".join(self.source.plain[max(0, here - len(head) - 3) : here])
        yield tail, "".join(self.source.plain[there : there + len(tail) + 3])

    def omissions(self) -> Iterator[str]:
        for mine, theirs in self.gaps():
            if not theirs or (mine.start in self.breaks or mine.stop in self.breaks):
                continue
            kept, there = self._letters(mine), self._source_letters(theirs)
            if kept != there and (kept in there or len(theirs) > 2 * len(mine) + 3):
                yield " ".join(self.source.written[place] for place in theirs)

    def changes(self) -> Iterator[str]:
        for mine, theirs in self.gaps():
            yield from self._foreign(mine, self._source_letters(theirs))
        for mine, letters in self.edges():
            yield from self._foreign(mine, letters)

    def span(self) -> Span:
        first = self.start + self.blocks[0][1]
        last = self.start + self.blocks[-1][1] + self.blocks[-1][2] - 1
        return Span(self.source.lines[first], self.source.lines[last])

    def _foreign(self, mine: range, letters: str) -> Iterator[str]:
        """Words of the quote that the letters of the source do not hold, taken in order."""
        if self._letters(mine) in letters:
            return
        at = 0
        for place in mine:
            found = letters.find(self.quote[place], at)
            if found < 0:
                yield self.written[place]
            else:
                at = found + len(self.quote[place])

    def _letters(self, mine: range) -> str:
        return "".join(self.quote[place] for place in mine)

    def _source_letters(self, theirs: range) -> str:
        return "".join(self.source.plain[place] for place in theirs)

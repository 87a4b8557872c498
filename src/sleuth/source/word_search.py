"""Looking for words in text, made to cost little: a linter asks for very many words in very much text."""

import re
from collections.abc import Callable, Iterator, Mapping

_BETWEEN_WORDS = "".join(chr(n) if chr(n).isalnum() or chr(n) == "_" else " " for n in range(128))


def words_of(text: str) -> list[str]:
    """The names, words and numbers of a text, in order."""
    return text.translate(_BETWEEN_WORDS).split() if text.isascii() else re.findall(r"\w+", text)


class Pattern:
    """A pattern as `re.compile` makes it, made on first use: making all takes longer than linting a file."""

    __slots__ = ("_compiled", "_flags", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self._flags = pattern, flags
        self._compiled: re.Pattern[str] | None = None

    def _ready(self) -> re.Pattern[str]:
        if self._compiled is None:
            self._compiled = re.compile(self.pattern, self._flags)
        return self._compiled

    def search(self, text: str) -> re.Match[str] | None:
        return self._ready().search(text)

    def match(self, text: str) -> re.Match[str] | None:
        return self._ready().match(text)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._ready().fullmatch(text)

    def findall(self, text: str) -> list[str]:
        return self._ready().findall(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._ready().finditer(text)

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        return self._ready().sub(new, text)


class AnyOf:
    """Tells whether a text holds any of many words or patterns, much faster than one pattern of them all.

    Plain `words` are looked for as they are; a pattern only where the letters stand that it cannot do without
    (`{"fit": r"\bfit"}`).
    """

    __slots__ = ("_patterns", "_words")

    def __init__(self, words: str, patterns: Mapping[str, str]) -> None:
        self._words = tuple(words.split())
        self._patterns = tuple((core, Pattern(pattern)) for core, pattern in patterns.items())

    def __or__(self, other: "AnyOf") -> "AnyOf":
        both = AnyOf("", {})
        both._words = self._words + other._words
        both._patterns = self._patterns + other._patterns
        return both

    def within(self, text: str) -> bool:
        for word in self._words:  # written out: this runs for every function of every file
            if word in text:
                return True
        return any(core in text and pattern.search(text) for core, pattern in self._patterns)

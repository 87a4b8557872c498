"""Regular expressions that are compiled when first used: compiling all takes longer than linting a file."""

import re
from collections.abc import Callable, Iterator


class Pattern:
    """A pattern as `re.compile` makes it, made on first use."""

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

"""The `{reason: "...", credence: 0.9}` blocks: YAML's flow style, as far as argument maps use it."""

import re
from typing import Any

_KEY = re.compile(
    r"""\s*(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s:,{}\[\]"'][^:,{}\[\]\n]*?))\s*:(?=[\s"'\[{]|$)"""
)
_INTEGER = re.compile(r"[-+]?\d{1,18}$")
_DECIMAL = re.compile(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?$")
_STRINGS = {'"': re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL), "'": re.compile(r"'(?:[^']|'')*'")}
_SIGN = re.compile(r"[\"'{}]")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}


class BadData(ValueError):
    """What is wrong with a block, and how many characters into it."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def read_data(text: str) -> dict[str, Any]:
    """The mapping in `{...}`: entries end at a comma or at the end of a line."""
    value, end = _mapping(text, 0)
    if text[end:].strip():
        raise BadData("text after the closing brace", end)
    return value


def block_end(text: str, start: int) -> int | None:
    """Where the block that opens at `start` closes (one past its brace); None if it never does."""
    depth, place = 0, start
    while match := _SIGN.search(text, place):
        sign, place = match[0], match.end()
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
            if depth == 0:
                return place
        elif _opens_string(text, match.start()):
            closing = _string_end(text, match.start())
            if closing is None:
                return None
            place = closing
    return None


def _opens_string(text: str, place: int) -> bool:
    """A quote sign opens a string only where a value or key may begin: `it's` holds an apostrophe."""
    while place and text[place - 1].isspace():
        place -= 1
    return not place or text[place - 1] in ":,{["


def _string_end(text: str, start: int) -> int | None:
    match = _STRINGS[text[start]].match(text, start)
    return match.end() if match else None


def _mapping(text: str, start: int) -> tuple[dict[str, Any], int]:
    entries: dict[str, Any] = {}
    place = _skip(text, start + 1)
    while True:
        if place >= len(text):
            raise BadData("the block is not closed", start)
        if text[place] == "}":
            return entries, place + 1
        match = _KEY.match(text, place)
        if match is None:
            raise BadData(f"expected `name: value`, found {_glimpse(text, place)}", place)
        key = str(match["double"] or match["single"] or match["plain"] or "").strip()
        if key in entries:
            raise BadData(f"{key!r} is given twice", place)
        entries[key], place = _value(text, _blank(text, match.end()), "}")
        place = _separator(text, place, "}")


def _sequence(text: str, start: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    place = _skip(text, start + 1)
    while True:
        if place >= len(text):
            raise BadData("the list is not closed", start)
        if text[place] == "]":
            return items, place + 1
        item, place = _value(text, place, "]")
        items.append(item)
        place = _separator(text, place, "]")


def _value(text: str, place: int, closer: str) -> tuple[Any, int]:
    sign = text[place : place + 1]
    if sign == "{":
        return _mapping(text, place)
    if sign == "[":
        return _sequence(text, place)
    if sign and sign in "\"'":
        return _string(text, place)
    end = place
    while end < len(text) and text[end] not in f",\n{closer}":
        if text[end] in "{}[]":
            raise BadData(f"put values with {text[end]!r} in quotes", end)
        end += 1
    return _scalar(text[place:end].strip()), end


def _string(text: str, start: int) -> tuple[str, int]:
    end = _string_end(text, start)
    if end is None:
        raise BadData("a quoted value is not closed", start)
    body = text[start + 1 : end - 1]
    if text[start] == "'":
        return _folded(body.replace("''", "'")), end
    return _folded(re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), body)), end


def _folded(body: str) -> str:
    """A line break inside a quoted value is a space, as in YAML."""
    return re.sub(r"[ \t]*\n[ \t]*", " ", body)


def _scalar(word: str) -> Any:
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if _INTEGER.match(word):
        return int(word)
    return float(word) if _DECIMAL.match(word) else word


def _separator(text: str, place: int, closer: str) -> int:
    """Past the comma or line end after a value; anything else there is a mistake worth its place."""
    place = _blank(text, place)
    if place < len(text) and text[place] in ",\n":
        return _skip(text, place + 1)
    if place < len(text) and text[place] != closer:
        raise BadData(f"expected a comma, found {_glimpse(text, place)}", place)
    return place


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _blank(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t":
        place += 1
    return place


def _glimpse(text: str, place: int) -> str:
    rest = text[place : place + 20].split("\n")[0]
    return repr(rest) if rest else "the end of the line"

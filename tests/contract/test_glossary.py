"""Messages and pages keep to the words of the glossary."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.contract.messages import Text, everything, texts

GLOSSARY = tomllib.loads((Path(__file__).parent / "glossary.toml").read_text("utf-8"))
TERMS: Mapping[str, Mapping[str, Any]] = {term["word"]: term for term in GLOSSARY["term"]}
AVOIDED = [word for word, term in TERMS.items() if "pattern" in term]
ALL = tuple(everything())


def avoided(term: Mapping[str, Any], text: Text) -> list[str]:
    """Where a text has words that the term does not want, with what stands around them."""
    if text.page and not term.get("pages", True):
        return []
    if text.path.startswith(tuple(term.get("rooms", ()))):
        return []
    words = text.words
    for allowed in term.get("except", ()):
        words = re.sub(allowed, "", words, flags=re.IGNORECASE)
    found = re.finditer(term["pattern"], words, re.IGNORECASE)
    return [f"...{words[max(0, match.start() - 40) : match.end() + 20]}..." for match in found]


def faults(found: Iterator[Text] | tuple[Text, ...], *words: str) -> list[str]:
    return [
        f"{text.path}:{text.line}: say {word!r} instead: {', '.join(seen)}"
        for text in found
        for word in words
        if (seen := avoided(TERMS[word], text))
    ]


def unread(text: Text) -> bool:
    return text.path.startswith(tuple(GLOSSARY["unread"]))


@pytest.mark.parametrize("word", AVOIDED)
def test_messages_keep_to_the_glossary(word: str) -> None:
    assert faults(tuple(text for text in ALL if not unread(text)), word) == []


@pytest.mark.parametrize("room", GLOSSARY["unread"])
def test_what_was_not_read_yet_has_something_to_read(room: str) -> None:
    found = faults(tuple(text for text in ALL if text.path.startswith(room)), *AVOIDED)
    assert found, f"{room} is clean: take it off the list of what is unread"


SPOKEN = {
    "a message": 'Evidence("It {said} of the turn before.")',
    "an f-string in pieces": 'clue("open", x, f"It adds to {one} of " f"the turn {two} before.")',
    "a sum": 'Evidence("It adds to those" + (" of a turn." if late else ".") )',
    "a hole": "f\"It is added{' in each turn.' if late else '.'}\"",
    "an error": 'raise SleuthError("There is one turn only.")',
    "an option": '@click.option("--n", help="Look at one turn only.")\ndef verb(n): ...',
    "a command": '@cli.command()\ndef verb():\n    """Look at one turn only."""',
    "a constant": 'HINT = "look at the turn before"',
    "a page": '"""Late.\n\n## What happens\nIt is added in each turn.\n"""',
}


@pytest.mark.parametrize("code", SPOKEN.values(), ids=SPOKEN)
def test_a_word_to_avoid_is_found_wherever_it_is_said(code: str) -> None:
    assert len(faults(texts(code, "x.py"), "iteration")) == 1


SILENT = {
    "a docstring": 'def f():\n    """It takes one turn."""',
    "a name": 'turn = "turn"',
    "code": 'HINT = "Write `turn = 1` there."',
    "a hole's name": 'HINT = f"It is {turn} of it."',
    "another sense": 'HINT = "One such value can turn into NaN."',
}


@pytest.mark.parametrize("code", SILENT.values(), ids=SILENT)
def test_what_nobody_reads_or_means_is_left_alone(code: str) -> None:
    assert faults(texts(code, "x.py"), "iteration") == []


def test_a_word_is_right_in_its_rooms_only() -> None:
    code = 'HINT = "the slope of a curve"'
    assert faults(texts(code, "loss_surface/x.py"), "gradient") == []
    assert faults(texts(code, "causes/x.py"), "gradient") != []


def test_pages_may_say_what_messages_may_not() -> None:
    page = '"""Slow.\n\n## What happens\nLower the rate.\n"""'
    assert faults(texts(page, "x.py"), "learning rate") == []
    assert faults(texts('FIX = "Lower the rate."', "x.py"), "learning rate") != []


@pytest.mark.parametrize("word", AVOIDED)
def test_every_exception_is_needed(word: str) -> None:
    """What is allowed for nothing hides the next mistake."""
    term = TERMS[word]
    read = " ".join(text.words for text in ALL)
    idle = [allowed for allowed in term.get("except", ()) if not re.search(allowed, read, re.IGNORECASE)]
    idle += [room for room in term.get("rooms", ()) if not _speaks_there(term, room)]
    assert idle == []


def _speaks_there(term: Mapping[str, Any], room: str) -> bool:
    bare = {name: value for name, value in term.items() if name != "rooms"}
    return any(avoided(bare, text) for text in ALL if text.path.startswith(room))


def test_the_collector_sees_all_kinds_of_text() -> None:
    """A guard against a collector that has gone blind."""
    assert len(ALL) > 2000
    assert sum(text.page for text in ALL) > 100
    for path in (
        "cli/lint.py",
        "judge/verdict.py",
        "show/sweep.py",
        "symptoms.py",
        "causes/loss/init_loss_off.py",
    ):
        assert any(text.path == path for text in ALL), path

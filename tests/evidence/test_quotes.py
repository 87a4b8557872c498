"""Quotes against their sources: every verdict, the words it names, and a slow twin for the plain case."""

import re
import unicodedata

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sleuth.evidence.model import Span
from sleuth.evidence.quotes import compare
from sleuth.evidence.words import read_words

TEXT = """# On kettles

Most kettles are slow because of lime, and lime is easily
removed with vinegar. People buy a new kettle in-
stead, which helps for as long as the water stays what it was.

A (cid:73) second matter is the [mains voltage](https://x.org), which dis tributions
of “old” houses don’t always reach — see Büchner’s ﬁgure.
"""
SOURCE = read_words(TEXT)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Most kettles are slow because of lime", Span(3, 3)),
        ("lime is *easily*\nremoved with **vinegar**", Span(3, 4)),
        ("People buy a new kettle instead", Span(4, 5)),
        ("A second matter is the mains voltage, which distributions", Span(7, 7)),
        ("\"old\" houses don't always reach - see Büchner's figure", Span(8, 8)),
    ],
    ids=["plain", "markdown", "hyphenated line break", "PDF remains", "typography"],
)
def test_exact(quote: str, found: Span) -> None:
    result = compare(quote, SOURCE)
    assert (result.verdict, result.found, result.omitted, result.altered) == ("EXACT", found, (), ())


@pytest.mark.parametrize("sign", ["...", "…", "[...]", "(…)", ". . ."])
def test_ellipsis(sign: str) -> None:
    result = compare(f"Most kettles are slow {sign} removed with vinegar", SOURCE)
    assert (result.verdict, result.found) == ("ELLIPSIS", Span(3, 4))


def test_an_ellipsis_does_not_excuse_the_wrong_order() -> None:
    assert compare("removed with vinegar ... Most kettles are slow", SOURCE).verdict not in (
        "EXACT",
        "ELLIPSIS",
    )


def test_gaps_are_listed() -> None:
    result = compare("Most kettles are slow because of lime. People buy a new kettle", SOURCE)
    assert result.verdict == "GAPS"
    assert result.omitted == ("and lime is easily removed with vinegar",)


def test_gaps_beside_an_ellipsis() -> None:
    quote = "Most kettles are slow because of lime ... People buy a new kettle"
    result = compare(f"{quote}, which helps as long as the water stays", SOURCE)
    assert result.verdict == "GAPS"
    assert "for" in result.omitted
    assert not any("vinegar" in stretch for stretch in result.omitted)


def test_altered_words_are_listed() -> None:
    result = compare(
        "Most kettles are fast because of lime, and lime is easily dissolved with vinegar", SOURCE
    )
    assert (result.verdict, result.altered) == ("ALTERED", ("fast", "dissolved"))


def test_missing() -> None:
    quote = "Nobody knows the trouble that a bad thermostat brings to teapots everywhere"
    assert compare(quote, SOURCE).verdict == "MISSING"
    assert compare("**", SOURCE).verdict == "MISSING"
    mostly_foreign = "Most kettles are blue and sing songs to every sailor who passes by the harbour wall"
    assert compare(mostly_foreign, SOURCE).verdict == "MISSING"
    assert compare("ettles are slo", SOURCE).verdict != "EXACT", "words are not cut"


def test_moved_has_the_right_lines() -> None:
    quote = "lime is easily removed with vinegar"
    assert compare(quote, SOURCE, Span(3, 4)).verdict == "EXACT"
    assert compare(quote, SOURCE, Span(1, 9)).verdict == "EXACT"
    moved = compare(quote, SOURCE, Span(7, 8))
    assert (moved.verdict, moved.found) == ("MOVED", Span(3, 4))
    assert compare(quote, SOURCE, Span(4, 4)).verdict == "MOVED", "off by one is off"


def test_of_two_places_the_anchored_one_counts() -> None:
    source = read_words("the same words here\nand more\nthe same words here\n")
    assert compare("the same words here", source, Span(3, 3)).found == Span(3, 3)
    assert compare("the same words here", source, Span(1, 1)).found == Span(1, 1)


def test_bold_is_held_to_the_letter() -> None:
    context = "Most kettles are slow **because of lime** and lime is removed with vinegar"
    assert (compare(context, SOURCE).verdict, compare(context, SOURCE).bold) == ("GAPS", "EXACT")
    bold_gap = "Most kettles are slow because of lime **and lime is removed** with vinegar"
    assert compare(bold_gap, SOURCE).bold == "GAPS"
    altered = "Most kettles are **quick because of lime** and lime is easily removed with vinegar"
    assert compare(altered, SOURCE).bold == "ALTERED"
    assert compare("Most kettles are slow", SOURCE).bold is None


def test_a_chance_hit_far_away_is_no_part_of_the_quote() -> None:
    filler = " ".join(f"f{number}" for number in range(25))
    source = read_words(f"zebra {filler}\none two three four five six")
    result = compare("zebra one two three four five six", source)
    assert (result.verdict, result.altered, result.found) == ("ALTERED", ("zebra",), Span(2, 2))


def slow_twin(quote: str, text: str) -> bool:
    """Every letter in order and adjacent, found the long way round."""
    letters = [sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum()]
    wanted = [sign for sign in unicodedata.normalize("NFKC", quote).casefold() if sign.isalnum()]
    return any(letters[at : at + len(wanted)] == wanted for at in range(len(letters)))


WORDS = st.lists(st.text(st.sampled_from("abcdeé1"), min_size=1, max_size=6), min_size=8, max_size=60)


@settings(max_examples=150, deadline=None)
@given(WORDS, st.data())
def test_a_stretch_of_the_source_is_exact_however_it_is_set(words: list[str], data: st.DataObject) -> None:
    text = "".join(word + data.draw(st.sampled_from([" ", "\n", ", "])) for word in words)
    first = data.draw(st.integers(0, len(words) - 4))
    last = data.draw(st.integers(first + 4, len(words)))
    quote = "".join(word + data.draw(st.sampled_from([" ", "\n", "* ", " – "])) for word in words[first:last])
    assert slow_twin(quote, text)
    assert compare(quote, read_words(text)).verdict == "EXACT"


@settings(max_examples=150, deadline=None)
@given(WORDS, st.data())
def test_a_foreign_word_is_never_exact(words: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(words)))
    quote = " ".join([*words[:at], "zzz", *words[at:]])
    result = compare(quote, read_words(" ".join(words)))
    assert result.verdict in ("ALTERED", "MISSING")
    assert "zzz" in result.altered


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_silent_omission_is_named(data: st.DataObject) -> None:
    words = [f"w{number}x" for number in range(30)]
    first = data.draw(st.integers(4, 20))
    last = data.draw(st.integers(first + 1, 25))
    result = compare(" ".join([*words[:first], *words[last:]]), read_words(" ".join(words)))
    assert (result.verdict, result.omitted) == ("GAPS", (" ".join(words[first:last]),))


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=80), st.text(max_size=200))
def test_nothing_makes_the_comparison_fail(quote: str, text: str) -> None:
    result = compare(quote, read_words(text), Span(1, 2))
    plain = re.sub(r"\W|_", "", quote)
    assume(plain)
    assert (result.found is None) == (result.verdict == "MISSING")

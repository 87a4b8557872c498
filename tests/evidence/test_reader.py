"""The reader: what the syntax means, and where what cannot be read stands."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.evidence.model import Map, Node, read_span
from sleuth.evidence.reader import read_file, read_map
from tests.evidence.maps import SEED, SMALL, needs_seed, scraped


def told(found: Map) -> list[tuple[str, int, int]]:
    return [(problem.rule, problem.line, problem.column) for problem in found.problems]


def kinds(found: Map) -> list[tuple[str, str, str]]:
    return [(entry.kind, str(entry.source), str(entry.target)) for entry in found.relations]


@needs_seed
def test_the_scraped_map_gives_what_the_official_parser_gives_on_the_clean_one() -> None:
    found = read_file(SEED)
    assert (len(found.statements), len(found.arguments), len(found.relations)) == (45, 14, 14)
    assert sum(entry.kind == "support" for entry in found.relations) == 12
    assert len(found.quotes) == 28
    assert found.tags == {"observation": 28, "assumption": 2}
    assert sum(len(entry.premises) for entry in found.arguments.values()) == 30
    assert found.problems == ()


@needs_seed
def test_586_lines_take_less_than_50_ms() -> None:
    text = SEED.read_text("utf-8")
    times = []
    for _ in range(5):
        started = time.process_time()
        read_map(text)
        times.append(time.process_time() - started)
    assert min(times) < 0.05


def test_the_small_map() -> None:
    found = read_map(SMALL)
    assert found.problems == ()
    assert list(found.statements) == [
        "Descale", "Ada Measures", "Bob Repeats", "Scale Matters", "Low Voltage", "Wires First",
    ]  # fmt: skip
    assert kinds(found) == [
        ("support", "[Scale Matters]", "[Descale]"),
        ("attack", "[Wires First]", "[Descale]"),
    ]
    ada = found.statements["Ada Measures"]
    assert ada.text == "Ada timed kettles before and after."
    assert ada.tags == ("observation",)
    assert ada.data == {"reason": "she timed it herself", "credence": 0.8}
    assert [(link.label, link.target) for link in ada.links] == [
        ("Ada Byron 1843 - Notes on Kettles", "https://example.org/notes"),
        ("evidence", "evidence/notes.md#L3-L4"),
    ]
    (quote,) = ada.quotes
    assert (
        quote.text == "The scaled kettle took **eleven minutes** to boil,\nand four after the lime was gone."
    )
    assert (quote.line, quote.link) == (20, ada.links[1])
    assert found.arguments["Scale Slows"].premises == ("Ada Measures", "Bob Repeats")
    assert found.front == {"title": "Kettles", "model": {"mode": "strict"}}
    assert found.header[0][1].startswith("Why the kettle")
    assert [heading.title for heading in found.headings] == ["For it", "Against it"]


def test_a_page_of_a_code_host_reads_the_same() -> None:
    clean, page = read_map(SMALL), read_map(scraped(SMALL))
    assert page.scraped
    assert not clean.scraped
    assert page.problems == ()
    assert list(page.statements) == list(clean.statements)
    assert kinds(page) == kinds(clean)
    assert [quote.text for _, quote in page.quotes] == [quote.text for _, quote in clean.quotes]
    assert [entry.data for entry in page.statements.values()] == [
        entry.data for entry in clean.statements.values()
    ]


RELATIONS = """[A]: First claim.
  + [B]: Supports it.
    - <C>
  <+ [D]
  - [E]
  <- [F]
  +> [G]
  -> [H]
  >< [I]
  _> <J>
  <_ [K]
  + Nobody named this support.
"""


def test_every_relation_and_its_direction() -> None:
    assert kinds(read_map(RELATIONS)) == [
        ("support", "[B]", "[A]"),
        ("attack", "<C>", "[B]"),
        ("support", "[D]", "[A]"),
        ("attack", "[E]", "[A]"),
        ("attack", "[F]", "[A]"),
        ("support", "[A]", "[G]"),
        ("attack", "[A]", "[H]"),
        ("contradict", "[A]", "[I]"),
        ("undercut", "[A]", "<J>"),
        ("undercut", "[K]", "[A]"),
        ("support", "[Untitled 1]", "[A]"),
    ]


def test_a_relation_written_on_both_sides_counts_once() -> None:
    found = read_map(
        "[A]: x\n  + <B>\n  + [C]\n\n[C]: y\n  +> [A]\n\n<B>\n\n(1) p\n----\n(2) [D]: q\n  +> [A]\n"
    )
    assert kinds(found) == [("support", "[D]", "[A]"), ("support", "[C]", "[A]")]
    assert Node("argument", "B") in found.listed


def test_tags_begin_with_a_letter() -> None:
    found = read_map("[A]: Item #12 of C#7, see #real-tag and #(a long tag) and \\#none.\n")
    assert found.statements["A"].tags == ("real-tag", "a long tag")
    assert "#12" in found.statements["A"].text


def test_comments_and_escapes() -> None:
    text = (
        "// a note\n[A]: One // aside\n  two. /* not\n  this */ three <!-- nor this -->\n"
        "  \\[B\\]: http://x.org/y \\{z\\}\n  > // kept\n"
    )
    found = read_map(text)
    assert found.statements["A"].text == "One two. three [B]: http://x.org/y {z}"
    assert found.quotes[0][1].text == "// kept"
    assert list(found.statements) == ["A"]
    assert found.problems == ()


def test_steps_with_rules_intermediate_conclusions_and_blank_lines() -> None:
    text = (
        "<A>\n\n(1) p\n\n(2) q\n-- modus ponens {inference: 0.9} --\n(3) r\n(4) s\n--\nby hand\n--\n(5) t\n"
    )
    found = read_map(text)
    first, second = found.arguments["A"].steps
    assert found.problems == ()
    assert (len(first.premises), first.rule, first.data) == (2, "modus ponens", {"inference": 0.9})
    assert (len(second.premises), second.rule) == (1, "by hand")
    assert found.arguments["A"].conclusion == second.conclusion


def test_two_quotes_of_one_statement() -> None:
    text = "[A]: x\n[e](a.md#L1)\n> one\n> more\n[e](b.md#L218)\n> two\n"
    (_, first), (_, second) = read_map(text).quotes
    assert first.text == "one\nmore"
    assert first.link is not None
    assert second.link is not None
    assert (first.link.file, second.link.file, second.link.anchor) == ("a.md", "b.md", "L218")


@pytest.mark.parametrize(
    ("anchor", "expected"),
    [
        ("L120-L125", (120, 125)),
        ("L218", (218, 218)),
        ("L198-204", (198, 204)),
        ("intro", None),
        ("L9-L2", None),
    ],
)
def test_anchors(anchor: str, expected: tuple[int, int] | None) -> None:
    span = read_span(anchor)
    assert (span and (span.first, span.last)) == expected


BROKEN = [
    ("an unclosed brace", 'credence: 0.80}', 'credence: 0.80', ("unclosed-data", 22, 5)),
    ("a torn string", '"she timed it herself"', '"she timed it herself', ("unclosed-data", 22, 5)),
    ("bad data", "credence: 0.80}", "credence 0.80}", ("bad-data", 22, 38)),
    ("a missing line", "----\n(3)", "(3)", ("missing-inference", 29, 1)),
    ("a stray relation", "after. #obs", "after\n    + four kettles. #obs", ("stray-relation", 18, 5)),
    ("a lost number", "(2) [Bob", "[Bob", ("numbering", 30, 1)),
    ("a torn title", "(2) [Bob Repeats]:", "(2) [Bob Repeats:", ("broken-title", 24, 1)),
    ("a lost colon", "(2) [Bob Repeats]:", "(2) [Bob Repeats]", ("missing-colon", 24, 1)),
    ("two of one name", "[Low Voltage]", "[Bob Repeats]", ("duplicate-title", 38, 1)),
    ("an open comment", "# For it", "# For it\n/* never closed", ("unclosed-comment", 14, 1)),
    ("front matter", "    mode: strict\n===", "    mode: strict\n", ("unclosed-front-matter", 1, 1)),
    ("a buried title", "credence: 0.80}\n\n(2)", "credence: 0.80} (2)", ("buried-title", 22, 54)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "problem"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN]
)
def test_what_the_official_parser_loses_has_a_place(
    old: str, new: str, problem: tuple[str, int, int]
) -> None:
    assert SMALL.count(old) == 1
    found = read_map(SMALL.replace(old, new))
    assert problem in told(found)
    assert all(entry.unread for entry in found.problems)
    assert len(found.statements) >= 5, "what can be read is kept"
    assert len(found.arguments) >= 2


@pytest.mark.parametrize(
    "text", ["", "\n\n", "Dear diary, nothing happened.\n", "a,b\n1,2\n", "# Title\n\nprose\n"]
)
def test_what_is_no_map_at_all(text: str) -> None:
    assert told(read_map(text)) == [("not-argdown", 1, 1)]


def test_a_cut_off_map() -> None:
    cut = SMALL[: SMALL.index("(3) [Scale")]
    assert "missing-conclusion" in [problem.rule for problem in read_map(cut).problems]


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("[]<>(){}+-_#:/*\"'=|\\ \n.1aA\t"), max_size=120))
def test_no_text_makes_the_reader_fail(text: str) -> None:
    found = read_map(text)
    assert all(1 <= problem.line <= text.count("\n") + 1 for problem in found.problems)
    assert all(problem.column >= 1 for problem in found.problems)

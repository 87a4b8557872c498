"""The rules beyond syntax: each can be broken, and is then named with its place."""

import pytest

from sleuth.evidence.reader import read_file, read_map
from sleuth.evidence.structure import structure
from tests.evidence.maps import SEED, SMALL, needs_seed


def rules(text: str) -> list[tuple[str, int]]:
    return [(problem.rule, problem.line) for problem in structure(read_map(text))]


BREACHES = [
    ("late", 'reason: "rarely so", inference: 0.40', 'inference: 0.40, reason: "x"', ("reason-first", 42)),
    ("no reason", '{reason: "rarely so", inference: 0.40}', "{inference: 0.40}", ("reason-missing", 42)),
    ("out of range", "credence: 0.80", "credence: 1.7", ("number-range", 22)),
    ("no number", "credence: 0.80", "credence: high", ("number-range", 22)),
    ("credence on a conclusion", "inference: 0.40", "credence: 0.40", ("number-place", 42)),
    ("inference on a premise", "credence: 0.80", "inference: 0.80", ("number-place", 22)),
    ("no credence", ', credence: 0.80', "", ("number-missing", 17)),
    ("one lineage", "[Bob 2001, A list]", "[Byron 1844, A list]", ("independence", 30)),
    ("three promised", "Two independent people", "Three independent people", ("independence", 30)),
    ("stale count", "2 arguments", "7 arguments", ("header-count", 7)),
    ("stale evidence count", "2 arguments", "9 evidence files", ("header-count", 7)),
    ("never spelled out", "  - <Mains Weak>", "  - <Mains Weak>\n  + <Ghost>", ("undefined", 12)),
    ("leads nowhere", "    -> [Descale]\n", "", ("orphan", 36)),
    ("not listed", "  - <Mains Weak>\n", "", ("unlisted", 35)),
    ("a circle", "    +> [Descale]\n", "    +> [Descale]\n    +> [Bob Repeats]\n", ("circle", 30)),
]  # fmt: skip


def test_the_small_map_keeps_all_rules() -> None:
    text = SMALL.replace("3 quotes", "2 quotes")
    assert rules(text) == []
    assert rules(SMALL) == [("header-count", 7)]


@pytest.mark.parametrize(
    ("old", "new", "breach"), [row[1:] for row in BREACHES], ids=[row[0] for row in BREACHES]
)
def test_a_breach_is_named(old: str, new: str, breach: tuple[str, int]) -> None:
    text = SMALL.replace("3 quotes", "2 quotes")
    assert text.count(old) == 1
    changed = text.replace(old, new)
    if breach[0] == "orphan":
        changed = changed.replace("  - <Mains Weak>\n", "\n")
    assert breach in rules(changed)


@needs_seed
def test_what_the_real_map_breaks() -> None:
    found = {(problem.rule, problem.severity) for problem in structure(read_file(SEED))}
    assert found == {("header-count", "warning"), ("independence", "warning"), ("unlisted", "note")}

"""The tables of docs/measurements.md: every script belongs to a lot, and counts are those of the verdicts."""

from pathlib import Path

import pytest

from bench import kept, replay, tables
from bench.kept import Script
from bench.zoo import SETS, Case, Metric

CASE = Case("a/b", Path("a/b"), "dead-relu", 1, (), (), "", "x", Metric("", None, None))


def test_every_script_belongs_to_a_lot_and_every_lot_has_scripts() -> None:
    lots = list(tables.all_lots())
    scripts = [script.name for name in SETS for script in kept.scripts(name)]
    assert sorted(scripts) == sorted(script.name for lot in lots for script in lot.scripts)
    assert all(lot.scripts for lot in lots)


def test_nothing_was_counted_more_often_than_it_is_there() -> None:
    for lot in tables.all_lots():
        for tally in (lot.seen, lot.later):
            if tally is not None:
                broken = sum(script.case is not None for script in lot.scripts)
                assert tally.broken <= broken
                assert tally.quiet <= len(lot.scripts) - broken
                assert (tally.line or 0) <= (tally.first or 0) <= tally.broken
                assert (tally.accused or 0) <= tally.quiet


def test_verdicts_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = [
        Script(name, Path(), CASE if name.startswith("b") else None)
        for name in ("b1", "b2", "b3", "q1", "q2")
    ]
    grades = {"b1": "first, on its line", "b2": "first", "b3": "named, not first", "q1": "accused"}
    monkeypatch.setattr(
        replay, "accepted", lambda: {name: {"grade": grade} for name, grade in grades.items()}
    )
    assert tables.judged(scripts) == tables.Tally(broken=3, quiet=1, first=2, line=1, accused=1)


def test_a_page_keeps_what_stands_outside_the_marks() -> None:
    page = "before\n<!-- a: written by `make docs` -->\nold\n<!-- end -->\nafter\n"
    once = tables.spliced(page, {"a": r"new \1", "b": "nowhere"})
    assert once == page.replace("old", r"new \1")
    assert tables.spliced(once, {"a": "old"}) == page

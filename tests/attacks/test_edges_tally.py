"""The counts in docs/reliability.md are those that the tests wrote down."""

import json
from pathlib import Path

import pytest

from bench.attackers import TRACKERS, script
from bench.attacks import page, summed
from tests.attacks.tally import tally


def test_counts_are_added_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = tmp_path / "attacks.jsonl"
    monkeypatch.setenv("SLEUTH_ATTACKS", str(book))
    for attack, tried, failed in (("b", 3, 1), ("a", 2, 0), ("b", 4, 0)):
        tally(attack, tried, failed)
    lines = book.read_text("utf-8").splitlines()
    assert json.loads(lines[0]) == {"attack": "b", "tried": 3, "failed": 1}
    assert summed(lines) == {"a": (2, 0), "b": (7, 1)}


def test_without_a_book_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLEUTH_ATTACKS", raising=False)
    monkeypatch.chdir(tmp_path)
    tally("a", 1, 0)
    assert list(tmp_path.iterdir()) == []


def test_the_page_has_a_row_for_each() -> None:
    text = page({"names": (7, 1)}, {"kill": dict.fromkeys(TRACKERS, "lost 3 steps")})
    assert "| names | 7 | 1 |" in text
    assert "| kill | lost 3 steps | lost 3 steps | lost 3 steps | lost 3 steps |" in text


@pytest.mark.parametrize("tracker", TRACKERS)
def test_every_attack_script_is_python(tracker: str) -> None:
    compile(script(tracker, "pass"), tracker, "exec")

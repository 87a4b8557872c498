"""Damaged maps: nothing crashes, and no statement disappears without a word."""

from dataclasses import replace

import pytest

from bench import evidence
from sleuth.evidence.model import Map
from sleuth.evidence.reader import read_map
from tests.evidence.maps import SMALL

TEXTS = [*evidence.pieces(evidence.sample()), SMALL.replace("3 quotes", "2 quotes")]


def test_damage_is_survived_and_told() -> None:
    result = evidence.fuzz(TEXTS, 800)
    assert result.crashes == 0
    assert result.silent == ()


def test_this_test_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def mute(text: str) -> Map:
        return replace(read_map(text), problems=())

    monkeypatch.setattr(evidence, "read_map", mute)
    monkeypatch.setattr(evidence, "structure", lambda found: ())
    assert evidence.fuzz(TEXTS, 200).silent


def test_an_enlarged_map_is_as_clean_as_the_small_one() -> None:
    small, large = read_map(evidence.sample()), read_map(evidence.enlarged(evidence.sample(), 3))
    assert large.problems == ()
    assert len(large.statements) == 3 * len(small.statements)
    assert len(large.relations) == 3 * len(small.relations)

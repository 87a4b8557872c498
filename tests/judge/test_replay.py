"""Kept evidence, weighed again: no script is judged worse than when the verdicts were last accepted."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import kept, record
from bench.kept import Kept, Script
from bench.replay import Replayed, accepted, changed, replay, score
from bench.zoo import ROOT, SETS
from sleuth.experiments import experiments, undoing
from sleuth.finding import TELLINGS, Evidence, Where
from sleuth.judge.observed import Ended, Guessing, Observed, Outcome
from sleuth.record.outcome import Course, Score

NUMBERS = st.floats(allow_nan=False).map(lambda value: float(f"{value:.5g}"))
COURSES = st.builds(
    Course, NUMBERS, NUMBERS, NUMBERS, NUMBERS, st.booleans(), st.booleans(), st.integers(1, 99)
)
SCORES = st.builds(Score, st.text(min_size=1), NUMBERS, st.booleans(), st.integers(0, 999))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
WHERES = st.builds(Where, TEXT.filter(bool), st.integers(1, 999), module=st.none() | TEXT.filter(bool))
EVIDENCE = st.builds(
    Evidence,
    TEXT,
    st.sampled_from(TELLINGS),
    st.none() | WHERES,
    cause=st.sampled_from(["double-softmax", "lr-too-high", "zero-init"]),
    technique=st.sampled_from(["lint", "watch", "probe"]),
    unless=st.none() | st.just(()) | st.just(("plays",)),
)
OUTCOMES = st.builds(
    Outcome,
    st.sampled_from([experiments()["same-batch"], undoing("zero-init")]),
    st.none() | st.booleans(),
    TEXT,
    NUMBERS,
    st.none() | COURSES,
    st.lists(SCORES, max_size=2).map(tuple),
)
OBSERVED = st.builds(
    Observed,
    st.lists(EVIDENCE, max_size=3).map(tuple),
    st.lists(EVIDENCE, max_size=2).map(tuple),
    st.lists(OUTCOMES, max_size=3).map(tuple),
    st.frozensets(st.sampled_from(["learns", "plays", "stuck"])),
    course=st.none() | COURSES,
    scores=st.lists(SCORES, max_size=2).map(tuple),
    guessing=st.none() | st.builds(Guessing, st.integers(1, 99), NUMBERS, st.integers(1, 99)),
    ended=st.none()
    | st.builds(Ended, st.just("raised"), frames=st.just((("a.py", 3, "main"), ("b.py", 4, "f")))),
)


@pytest.fixture(scope="module")
def replayed() -> list[Replayed]:
    return replay(SETS)


def test_no_script_is_judged_worse_than_it_was(replayed: list[Replayed]) -> None:
    assert [change.told for change in changed(replayed, accepted()) if change.worse] == []


def test_the_accepted_verdicts_are_those_of_the_kept_evidence(replayed: list[Replayed]) -> None:
    """A better verdict is accepted, too (`python -m bench replay --accept`): the next must hold it."""
    assert [change.told for change in changed(replayed, accepted())] == []
    assert {entry.script.name for entry in replayed} <= set(accepted())


def test_the_zoo_is_told_rightly_and_its_quiet_half_left_alone(replayed: list[Replayed]) -> None:
    zoo = [entry for entry in replayed if entry.script.set == "handmade"]
    told = score("handmade", zoo)
    assert (told.first, told.accused) == (told.broken, 0)
    assert told.broken + told.quiet >= 120


def test_a_replay_loads_no_torch() -> None:
    code = "from bench.replay import main; import sys; main(['handmade']); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True).returncode == 0


def test_a_worse_verdict_is_seen() -> None:
    script = next(s for s in kept.scripts("handmade") if s.case is not None)
    named = Evidence("m", "proven", cause=script.accepted[0], technique="lint")
    before = Replayed(script, Kept(script.name, Observed((named,))))
    after = Replayed(script, Kept(script.name, Observed()))
    (change,) = changed([after], {script.name: before.summary})
    assert change.worse
    assert not [*changed([before], {script.name: before.summary})]
    (back,) = changed([before], {script.name: after.summary})
    assert not back.worse


@given(OBSERVED)
def test_what_was_seen_is_read_back_as_it_was_written(seen: Observed) -> None:
    entry = Kept("handmade/a/b/broken", seen, script="1", version="2", seconds=1.5)
    assert kept.from_line(kept.to_line(entry)) == entry


def test_recorded_scripts_are_packed_with_what_was_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "FOLDER", tmp_path / "evidence")
    monkeypatch.setattr(record, "SCRATCH", tmp_path / "scratch")
    one, other = [s.name for s in kept.scripts("handmade")][:2]
    kept.write(
        "handmade", [Kept(one, Observed(), version="old", first_sight="dead-relu"), Kept(other, Observed())]
    )
    (tmp_path / "scratch").mkdir()
    new = Kept(one, Observed(circumstances=frozenset({"learns"})), version="new")
    record.scratch_of(one).write_text(kept.to_line(new), "utf-8")
    record.packed("handmade")
    assert kept.read("handmade") == {
        one: replace(new, first_sight="dead-relu"),
        other: Kept(other, Observed()),
    }


def test_a_script_that_changed_asks_for_a_new_record(tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("a = 1\n")
    before = kept.digest(Script("handmade/a/b/broken", path))
    path.write_text("a = 2\n")
    assert kept.digest(Script("handmade/a/b/broken", path)) != before

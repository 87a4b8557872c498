"""Two runs side by side, against a slow twin and against what was really changed."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth import archive
from sleuth.archive.differences import Parting, difference, parting
from sleuth.archive.packing import Series
from tests.archive import made

VALUES = st.sampled_from([0.0, 1.0, 1.001, 2.0, math.nan, math.inf, -math.inf])
CURVES = st.lists(st.tuples(st.integers(0, 6), VALUES), max_size=12)


def curve(points: list[tuple[int, float]], name: str = "loss") -> Series:
    return Series(name, tuple(step for step, _ in points), tuple(value for _, value in points))


def slow_twin(left: list[tuple[int, float]], right: list[tuple[int, float]]) -> tuple[int | None, int | None]:
    """Step by step, occurrence by occurrence, in the words of the definition."""
    differing, far = [], []
    for step in range(7):
        here = [value for at, value in left if at == step]
        there = [value for at, value in right if at == step]
        for one, other in zip(here, there, strict=False):
            if repr(one) == repr(other):
                continue
            differing.append(step)
            finite = math.isfinite(one) and math.isfinite(other)
            if not finite or abs(one - other) > 0.01 * max(abs(one), abs(other)):
                far.append(step)
    return min(differing, default=None), min(far, default=None)


@given(CURVES, CURVES)
def test_the_first_parting_is_that_of_the_slow_twin(
    left: list[tuple[int, float]], right: list[tuple[int, float]]
) -> None:
    found = parting(curve(left), curve(right))
    assert (found.step, found.apart) == slow_twin(left, right)


def test_the_values_at_the_parting_are_told() -> None:
    left, right = curve([(0, 1.0), (1, 2.0), (2, 3.0)]), curve([(0, 1.0), (1, 2.001), (2, 4.0)])
    assert parting(left, right) == Parting("loss", 3, 1, 2.0, 2.001, 2)


@pytest.mark.parametrize(
    "name", ["step/t", "step/time/data", "step/step_ms", "step/rss", "step/data_s", "step/line", "step/cpu"]
)
def test_clocks_never_part(name: str) -> None:
    assert parting(curve([(0, 1.0)], name), curve([(0, 2.0)], name)).step is None


@pytest.mark.parametrize("name", ["step/loss", "step/lr", "test", "val/accuracy", "step/tokens", "t5/loss"])
def test_what_is_no_clock_does(name: str) -> None:
    assert parting(curve([(0, 1.0)], name), curve([(0, 2.0)], name)).step == 0


def test_the_same_run_twice_differs_in_nothing(tmp_path: Path) -> None:
    script = made.project(tmp_path / "project", git=True)
    one, other = (made.finished(tmp_path / "home", script, made.steps(20)) for _ in range(2))
    found = difference(one, other)
    assert found.same
    assert found.first is None


def test_what_was_changed_is_what_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, script = tmp_path / "home", made.project(tmp_path / "project")
    one = made.finished(home, script, made.steps(20), 0, "--lr", "0.1")
    (script.parent / "helper.py").write_text("name = 'changed'")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    other = made.finished(home, script, made.steps(20, lr=0.2, seed=1), 1, "--lr", "0.2")
    found = difference(one, other)
    assert found.command == (one.meta["command"], other.meta["command"])
    assert found.facts == {"exit_code": (0, 1)}
    assert found.seeds == (["torch.manual_seed 0"], ["torch.manual_seed 1"])
    assert found.environment["OMP_NUM_THREADS"][1] == "7"
    assert found.packages == {}
    assert "+name = 'changed'\n" in found.code
    assert "train.py" not in found.code
    assert found.first is not None
    assert (found.first.step, found.first.name) == (0, "step/loss")


def test_code_is_compared_across_commits_and_changes(tmp_path: Path) -> None:
    """What is committed in one run and changed on disk in the other is compared all the same."""
    home, script = tmp_path / "home", made.project(tmp_path / "project", git=True)
    folder = script.parent
    one = archive.begin(["x"], script, home=home)
    (folder / "parts" / "deep.py").write_text("name = 'deeper'\n")
    changed = archive.begin(["x"], script, home=home)
    made.commit(folder, "second")
    committed = archive.begin(["x"], script, home=home)
    (folder / "new.py").write_text("x = 1\n")
    grown = archive.begin(["x"], script, home=home)
    for later in (changed, committed):
        found = difference(one, later)
        assert found.code.splitlines()[:2] == ["--- a/parts/deep.py", "+++ b/parts/deep.py"]
        assert "+name = 'deeper'" in found.code
    moved = difference(changed, committed)
    assert (moved.code, moved.commits is not None) == ("", True)
    assert difference(committed, grown).code.startswith("--- /dev/null\n+++ b/new.py\n")


def test_a_repository_that_is_gone_is_said(tmp_path: Path) -> None:
    home, script = tmp_path / "home", made.project(tmp_path / "project", git=True)
    one = archive.begin(["x"], script, home=home)
    script.write_text("lr = 7\n")
    made.commit(script.parent, "second")
    other = archive.begin(["x"], script, home=home)
    script.parent.rename(tmp_path / "moved")
    found = difference(one, other)
    assert "is gone" in found.unseen
    assert "+lr = 7" in found.code

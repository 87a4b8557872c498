"""`sleuth sweep tasks`: the best first, whichever way the metric counts, and profiles to look at."""

import random
import re
from itertools import product
from pathlib import Path

import pytest

from sleuth.cli import run
from sleuth.show.sweep_more import tasks_page, tasks_text
from sleuth.sweeping.table import Table, from_rows
from sleuth.sweeping.tasks import Tasks, compare_tasks
from tests.sweep.runs import write_csv


def scores() -> list[dict[str, object]]:
    """c scores lowest on every task, a in the middle, b highest; tasks differ more than algorithms."""
    source = random.Random(0)
    return [
        {"algo": algo, "game": f"g{game}", "score": 1.0 + game + shift + source.gauss(0, 0.2)}
        for algo, shift in (("a", 1.0), ("b", 2.0), ("c", 0.0))
        for game in range(4)
        for _ in range(5)
    ]


@pytest.fixture(scope="module")
def table() -> Table:
    return from_rows(scores(), "scores.csv")


def compared(table: Table, lower: bool, scale: bool = False) -> Tasks:
    return compare_tasks(table, "algo", "game", "score", lower, scale)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize(("lower", "order"), [(False, "bac"), (True, "cab")])
def test_the_best_comes_first(table: Table, lower: bool, order: str, scale: bool) -> None:
    found = compared(table, lower, scale)
    assert "".join(str(one.name) for one in found.algorithms) == order
    assert re.findall(r"^  ([abc])  ", tasks_text(found), re.MULTILINE) == list(order)
    assert [pair.better for pair in found.improvements if {pair.better, pair.other} == {"b", "c"}] == [
        order[0]
    ]


@pytest.mark.parametrize("lower", [False, True])
def test_scaled_scores_run_from_the_worst_run_to_the_best(table: Table, lower: bool) -> None:
    found = compared(table, lower, scale=True)
    assert not found.lower_is_better
    assert (found.thresholds[0], found.thresholds[-1]) == (0.0, 1.0)
    assert found.algorithms[0].iqm > 0.8 > 0.2 > found.algorithms[-1].iqm


@pytest.mark.parametrize("lower", [False, True])
def test_a_profile_is_the_share_of_runs_better_than_a_score(table: Table, lower: bool) -> None:
    found = compared(table, lower)
    for one, (at, score) in product(found.algorithms, enumerate(found.thresholds)):
        runs = [float(str(row["score"])) for row in scores() if row["algo"] == one.name]
        better = [run for run in runs if (run < score if lower else run > score)]
        assert one.profile[at] == pytest.approx(len(better) / len(runs))


@pytest.mark.parametrize("lower", [False, True])
def test_the_profiles_are_drawn_where_they_are(table: Table, lower: bool) -> None:
    found = compared(table, lower)
    page = tasks_page(found)
    lines = [
        [tuple(map(float, dot.split(","))) for dot in dots.split()]
        for dots in re.findall(r"<polyline points='([^']+)'", page)
    ]
    assert len(lines) == len(found.algorithms)
    top, bottom = (found.algorithms[0].profile, lines[0]), (found.algorithms[-1].profile, lines[-1])
    for shares, dots in (top, bottom):
        assert len(dots) == len(found.thresholds)
        heights = [y for _, y in dots]
        low, high = min(shares), max(shares)
        assert heights[shares.index(low)] == max(heights)
        assert heights[shares.index(high)] == min(heights)
    assert all(best[1] <= worst[1] for best, worst in zip(lines[0], lines[-1], strict=True))
    assert ("below a score" in page) is lower


def test_the_page_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_csv(tmp_path / "scores.csv", scores())
    words = "--algorithm algo --task game --metric score --lower-is-better --quiet".split()
    page = tmp_path / "page.html"
    assert run(["sweep", "tasks", str(tmp_path / "scores.csv"), *words, "--html", str(page)]) == 0
    assert capsys.readouterr().out.startswith("c\t")
    assert "performance profiles" in page.read_text()

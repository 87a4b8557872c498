"""What is said about tables of runs, odd ones included."""

import json
import math
import random
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.errors import SleuthError
from tests.sweep.runs import grid, judged, words

BETTER = {0.2: 0.2}


def test_a_real_effect_is_reliable_and_null_is_not() -> None:
    assert words(judged(grid(effects=BETTER)))[0.2] == "reliable-better"
    assert set(words(judged(grid(salt=1))).values()) <= {"no-evidence", "suggestive"}


def test_lower_is_better_turns_the_words_and_not_the_numbers() -> None:
    up, down = judged(grid(effects=BETTER)), judged(grid(effects=BETTER), lower_is_better=True)
    assert words(down)[0.2] == "reliable-worse"
    assert [v.effect for v in up.groups[0].values] == [v.effect for v in down.groups[0].values]


def test_a_value_is_judged_against_the_mean_of_the_others() -> None:
    (group,) = judged(grid(effects={0.1: 0.0, 0.2: 0.3, 0.3: 0.6}, noise=0.0001)).groups
    assert [value.effect for value in group.values] == pytest.approx([-0.45, 0.0, 0.45], abs=0.001)


@pytest.mark.parametrize(("seeds", "verdict"), [(1, "undefined"), (2, "suggestive"), (3, "reliable-better")])
def test_one_seed_says_nothing_and_two_are_never_reliable(seeds: int, verdict: str) -> None:
    found = judged(grid(seeds=range(seeds), effects={0.2: 1.0}, noise=0.001))
    assert words(found)[0.2] == verdict
    if seeds == 2:
        assert found.groups[0].values[1].add_seeds


def test_two_values_are_one_comparison() -> None:
    (group,) = judged(grid(values=("adam", "sgd"), effects={"sgd": 0.1})).groups
    one, other = group.values
    assert (one.p, one.effect) == (other.p, -other.effect)
    assert {one.verdict, other.verdict} == {"reliable-better", "reliable-worse"}
    assert group.trend.verdict == "undefined"


def test_one_value_has_nothing_to_be_compared_with() -> None:
    found = judged(grid(values=(0.1,)))
    assert words(found) == {0.1: "undefined"}
    assert any("nothing to compare" in line for line in found.groups[0].warnings)


def test_a_trend_uses_the_same_words() -> None:
    rising = judged(grid(values=(1, 2, 3, 4), effects={1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4}))
    assert rising.groups[0].trend.verdict == "reliable-better"
    assert rising.groups[0].trend.slope == pytest.approx(0.1, abs=0.01)
    assert judged(grid(values=(1, 2, 3, 4), salt=2)).groups[0].trend.verdict in ("no-evidence", "suggestive")


def test_a_crash_that_was_repeated_is_listed_and_the_newest_finished_run_counts() -> None:
    rows = grid(state="finished", created_at="2024-01-02")
    rows[0] |= {"acc": 0.99}
    crash = rows[0] | {"acc": "", "state": "crashed", "created_at": "2024-01-03"}
    older = rows[0] | {"acc": 0.01, "created_at": "2024-01-01"}
    (group,) = judged([crash, *rows, older]).groups
    assert group.failed == ((0.1, 0),)
    assert group.missing == ()
    assert group.cells[0.1, 0] == 0.99
    assert group.values[0].n_seeds == 5


@pytest.mark.parametrize("result", ["", "nan", "inf", "-inf", "diverged", None])
def test_a_run_without_a_finite_result_failed(result: Any) -> None:
    rows = grid()
    rows[3]["acc"] = result
    (group,) = judged(rows).groups
    assert group.failed == ((0.1, 3),)
    assert group.missing == ()
    assert group.values[0].n_seeds == 4


def test_a_value_that_fails_more_often_is_a_finding() -> None:
    rows = grid(seeds=range(10))
    for row in rows:
        if row["lr"] == 0.3 and row["seed"] < 8:
            row["acc"] = "nan"
    finding = next(one for one in judged(rows).findings if one.kind == "failed-runs")
    assert finding.value == 0.3
    assert float(finding.numbers["p"]) < 0.01
    assert len(finding.runs) == 8


def test_missing_cells_are_named() -> None:
    rows = [row for row in grid() if (row["lr"], row["seed"]) not in {(0.2, 1), (0.3, 4)}]
    assert judged(rows).groups[0].missing == ((0.2, 1), (0.3, 4))


def test_running_runs_are_missing_not_failed() -> None:
    rows = grid(state="finished")
    rows[0] |= {"state": "running"}
    (group,) = judged(rows).groups
    assert (group.missing, group.failed) == (((0.1, 0),), ())


def test_bookkeeping_is_no_confounder() -> None:
    source = random.Random(0)
    rows = [
        row
        | {
            "run_id": f"r{at}", "name": f"lively-{at}", "state": "finished",
            "created_at": f"2024-01-01T00:00:{at:02d}",
            "runtime": source.random() * 100, "val_loss": source.random(), "best_f1": source.random(),
            "output_dir": f"/out/{at}", "epochs": 10, "git": "abc",
        }
        for at, row in enumerate(grid())
    ]  # fmt: skip
    assert judged(rows).groups[0].also_varies == ()


def test_what_else_varies_is_named() -> None:
    rows = grid(seeds=range(6))
    for row in rows:
        row["batch_size"] = 32 if row["lr"] == 0.1 else 64
        row["host"] = "a" if row["seed"] % 2 else "b"
        row["commit"] = "abc" if (row["lr"], row["seed"]) != (0.3, 0) else "def"
    found = judged(rows)
    assert set(found.groups[0].also_varies) == {"batch_size", "commit"}
    assert any("host changes with the seed alone" in line for line in found.groups[0].warnings)
    assert judged(rows, ignore=("batch_size", "commit")).groups[0].also_varies == ()
    assert judged(rows, config=("commit",)).groups[0].also_varies == ("commit",)


def test_a_loss_can_be_a_setting_and_a_guess_is_told() -> None:
    source = random.Random(1)
    rows = [row | {"loss": "mse" if row["lr"] == 0.1 else "l1", "thing": source.random()} for row in grid()]
    found = judged(rows)
    assert found.groups[0].also_varies == ("loss",)
    assert any("thing" in line and "--config" in line for line in found.groups[0].warnings)


@pytest.mark.parametrize("name", ["g-fill", "g_fill", "fill", "g fill 2", "refill-g"])
def test_fills_are_merged_when_the_base_is_the_same(name: str) -> None:
    rows = [row for row in grid(group="g", bs=32) if (row["lr"], row["seed"]) != (0.2, 2)]
    fill = {"lr": 0.2, "seed": 2, "acc": 0.6, "group": name, "bs": 32}
    (group,) = judged([*rows, fill]).groups
    assert (group.group, group.missing) == ("g", ())
    apart = judged([*rows, fill | {"bs": 64}])
    assert [one.missing for one in apart.groups] == [((0.2, 2),), ()]
    assert any("not comparable" in line for line in apart.groups[0].warnings)


def test_groups_with_different_bases_are_not_compared() -> None:
    rows = grid(group="a", bs=32) + grid(group="b", bs=64)
    found = judged(rows)
    assert [group.group for group in found.groups] == ["a", "b"]
    finding = next(one for one in found.findings if one.kind == "apples-and-oranges")
    assert "bs" in finding.message


def test_values_without_a_common_seed_are_undefined() -> None:
    rows = [
        row | {"seed": 10 * at + row["seed"]} for at in range(3) for row in grid(values=(0.1 * (at + 1),))
    ]
    found = judged(rows)
    assert set(words(found).values()) == {"undefined"}
    assert any("No seed is shared" in line for line in found.groups[0].warnings)


def test_a_value_apart_from_the_others_is_undefined_alone() -> None:
    rows = grid(values=(0.1, 0.2), effects={0.2: 0.2}) + [
        row | {"seed": row["seed"] + 50} for row in grid(values=(0.9,))
    ]
    assert words(judged(rows)) == {0.1: "reliable-worse", 0.2: "reliable-better", 0.9: "undefined"}


def test_a_seed_that_changes_nothing_is_told() -> None:
    rows = [row | {"acc": row["lr"]} for row in grid()]
    found = judged(rows)
    assert set(words(found).values()) == {"undefined"}
    assert any("seed does not reach" in line for line in found.groups[0].warnings)


def test_unequal_noise_is_said() -> None:
    source = random.Random(0)
    rows = grid(seeds=range(10))
    for row in rows:
        if row["lr"] == 0.3:
            row["acc"] += source.gauss(0, 1)
    (group,) = judged(rows).groups
    assert any("Noise is not equal" in line for line in group.warnings)
    assert "paired t" in group.method


def test_a_lottery_is_recognised() -> None:
    source = random.Random(4)
    rows = [
        row | {"acc": (0.1 if source.random() < 0.3 else 0.9) + source.gauss(0, 0.02)}
        for row in grid(seeds=range(8))
    ]
    finding = next(one for one in judged(rows).findings if one.kind == "seed-lottery")
    assert finding.cause == "seed-lottery"
    assert float(finding.numbers["low"]) < float(finding.numbers["share"]) < float(finding.numbers["high"])
    assert len(finding.runs) == finding.numbers["failing"]


def test_mixed_types_are_compared_as_names() -> None:
    found = judged(grid(values=(0.1, "auto", 0.2)))
    assert list(words(found)) == [0.1, 0.2, "auto"]
    assert found.groups[0].trend.verdict == "undefined"
    assert any("numbers and texts" in line for line in found.groups[0].warnings)


def test_spellings_of_a_number_are_one_value() -> None:
    rows = grid(values=("0.1", "1e-1", "0.10"), seeds=range(1)) + grid(values=("1", "1.0"), seeds=range(1))
    assert list(words(judged(rows))) == [0.1, 1]


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"param": "lrr"}, "Did you mean 'lr'?"),
        ({"metric": "accuracy"}, "no metric column 'accuracy'"),
        ({"seed": "sed"}, "Did you mean 'seed'?"),
        ({"group": "team"}, "no group column"),
        ({"metric": "lr"}, "both 'lr'"),
        ({"config": ("nope",)}, "has no column 'nope'"),
    ],
)
def test_a_wrong_column_is_one_sentence(asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SleuthError, match=re.escape(sentence)):
        judged(grid(), **asked)


def test_no_seed_column_and_no_numbers_are_said() -> None:
    with pytest.raises(SleuthError, match="Name it with --seed"):
        judged([{"lr": 1, "acc": 2}])
    with pytest.raises(SleuthError, match="has no number"):
        judged([row | {"acc": "n/a"} for row in grid()])


def test_names_differ_by_case_and_by_a_trackers_prefix() -> None:
    rows = [
        {"config.lr": row["lr"], "config.seed": row["seed"], "metrics.acc": row["acc"]}
        for row in grid(effects=BETTER)
    ]
    assert words(judged(rows))[0.2] == "reliable-better"
    rows = [{"LR": row["lr"], "Seed": row["seed"], "Acc": row["acc"]} for row in grid(effects=BETTER)]
    assert words(judged(rows))[0.2] == "reliable-better"


CELL = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from(["", "nan", "a", "b", "1", "1.0", "1e3", "crashed", "finished", "é", "0x1"]),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"lr": CELL, "seed": CELL, "acc": CELL, "group": CELL, "state": CELL, "bs": CELL}
        ),
        min_size=1,
        max_size=14,
    )
)
def test_any_table_gives_an_analysis_or_one_sentence(rows: list[dict[str, Any]]) -> None:
    try:
        found = judged(rows)
    except SleuthError:
        return
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    for group in data["groups"]:
        for value in group["values"]:
            assert (value["interval"] is None) <= (
                value["verdict"] in ("undefined", "suggestive", "no-evidence")
            )
            if value["n_seeds"] < 3:
                assert not value["verdict"].startswith("reliable")


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.floats(0.001, 1000), st.floats(-50, 50))
def test_order_scale_and_shift_do_not_matter(source: random.Random, scale: float, shift: float) -> None:
    rows = grid(effects={0.2: 0.02}, salt=7)
    moved = [row | {"acc": row["acc"] * scale + shift} for row in rows]
    source.shuffle(moved)
    before, after = judged(rows).groups[0], judged(moved).groups[0]
    assert words(judged(rows)) == words(judged(moved))
    for one, other in zip(before.values, after.values, strict=True):
        assert other.effect == pytest.approx(one.effect * scale, rel=1e-6, abs=1e-9)
        assert math.isclose(other.p, one.p, rel_tol=1e-6)

"""Runs that were watched become rows that `sleuth sweep` reads."""

import csv
import json
import random
from pathlib import Path

import pytest

from sleuth.cli.output import write_json
from sleuth.rl.rows import METRIC, groups, settings_of
from sleuth.rl.watching import watch
from sleuth.sweeping.analysis import Request, analyze
from sleuth.sweeping.columns import Asked
from sleuth.sweeping.sources import open_source

LEVELS = {0.001: 150.0, 0.01: 200.0, 0.1: 60.0}


def write_runs(root: Path, lost: str = "") -> None:
    for rate, level in LEVELS.items():
        for seed in range(5):
            folder = root / f"lr={rate},seed={seed}"
            folder.mkdir(parents=True)
            chance = random.Random(f"{rate} {seed}")
            with (folder / "progress.csv").open("w", newline="") as file:
                lines = csv.writer(file)
                lines.writerow(["time/total_timesteps", "rollout/ep_rew_mean", "train/entropy_loss"])
                for k in range(40):
                    earned = "" if folder.name == lost else 20 + (level - 20) * k / 39 + chance.gauss(0, 4)
                    lines.writerow([100 * k, earned, -0.69 + 0.01 * k])


def test_the_json_of_a_watch_is_a_table_for_a_sweep(tmp_path: Path) -> None:
    write_runs(tmp_path / "runs")
    write_json(watch(str(tmp_path / "runs")).to_dict(), str(tmp_path / "seeds.json"))
    opened = open_source(str(tmp_path / "seeds.json"))
    (group,) = analyze(opened.table, Request(Asked("lr", METRIC, None, None, (), ()))).groups
    assert {value.value: value.verdict for value in group.values} == {
        0.001: "reliable-better",
        0.01: "reliable-better",
        0.1: "reliable-worse",
    }


def test_a_run_without_a_return_is_a_failed_run_of_the_sweep(tmp_path: Path) -> None:
    write_runs(tmp_path / "runs", lost="lr=0.1,seed=3")
    write_json(watch(str(tmp_path / "runs")).to_dict(), str(tmp_path / "seeds.json"))
    opened = open_source(str(tmp_path / "seeds.json"))
    result = analyze(opened.table, Request(Asked("lr", METRIC, None, None, (), ())))
    assert "failed-runs" in [finding.kind for finding in result.findings]


def test_runs_with_other_settings_are_no_seeds_of_one_thing(tmp_path: Path) -> None:
    """A bad learning rate is no lottery."""
    write_runs(tmp_path)
    result = watch(str(tmp_path))
    assert len(groups(result.runs)) == 3
    assert result.seeds is None
    assert "seed-lottery" not in [entry.cause for entry in result.findings]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lr=0.1,seed=3", {"lr": 0.1, "seed": 3}),
        ("ppo/seed_3", {"folder": "ppo", "seed": 3}),
        ("clip0.2/s1", {"clip": 0.2, "s": 1}),
        ("PPO_3", {"folder": "PPO"}),
        ("CartPole-v1__my_ppo__7__1700000000", {"env": "CartPole-v1", "script": "my_ppo", "seed": 7}),
    ],
)
def test_settings_stand_in_names(tmp_path: Path, name: str, expected: dict[str, object]) -> None:
    assert settings_of(tmp_path / name, tmp_path) == expected


def test_a_file_of_settings_goes_before_the_name_and_is_no_log(tmp_path: Path) -> None:
    write_runs(tmp_path)
    place = tmp_path / "lr=0.1,seed=3"
    (place / "config.json").write_text(json.dumps({"lr": 0.2, "net": {"width": 64}, "odd": [1], "no": None}))
    assert settings_of(place, tmp_path) == {"lr": 0.2, "seed": 3, "net.width": 64}
    assert len(watch(str(tmp_path)).runs) == 15

"""`sleuth rl` as a user meets it: exit codes, JSON, sentences for what is wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from sleuth.cli.rl import _tuning
from sleuth.rl import tables
from sleuth.rl.ladder import Result, Rung
from sleuth.rl.probing import Ladder, Request
from sleuth.rl.seeds import seeds
from sleuth.show.rl import seed_dots

RIGHT = """
import random
from collections import defaultdict
import numpy as np

def learn(make_env, steps, seed, gamma):
    chance, env = random.Random(seed), make_env()
    table = defaultdict(lambda: np.zeros(2))
    key = tuple(env.reset(seed=seed)[0])
    for _ in range(steps):
        action = chance.randrange(2) if chance.random() < 0.2 else int(table[key].argmax())
        obs, reward, terminated, truncated, _ = env.step(action)
        done = terminated SWITCH
        goal = reward + (0.0 if done else gamma * table[tuple(obs)].max())
        table[key][action] += 0.2 * (goal - table[key][action])
        key = tuple(env.reset()[0] if terminated or truncated else obs)
    class Agent:
        def q(self, obs):
            return table[tuple(obs)]
    return Agent()
"""


def rl(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sleuth", "rl", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def agents(tmp_path: Path) -> Path:
    (tmp_path / "right.py").write_text(RIGHT.replace("SWITCH", ""))
    (tmp_path / "wrong.py").write_text(RIGHT.replace("SWITCH", "or truncated"))
    return tmp_path


def test_a_right_agent_is_zero(agents: Path) -> None:
    done = rl("probe", f"{agents}/right.py:learn", "--only", "constant,boundary")
    assert done.returncode == 0, done.stderr
    assert "2 probes: 2 passed" in done.stdout


def test_a_broken_agent_is_one_and_its_json_has_the_promised_form(agents: Path) -> None:
    done = rl(
        "probe", f"{agents}/wrong.py:learn", "--only", "constant,boundary", "--steps", "3000", "--json", "-"
    )
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert set(data) == {"schema", "probes", "findings"}
    assert data["schema"] == "sleuth.rl/1"
    assert [set(probe) for probe in data["probes"]] == [{"name", "passed", "numbers"}] * 2
    assert [probe["passed"] for probe in data["probes"]] == [True, False]
    first = data["findings"][0]
    assert (first["cause"], first["family"]) == ("truncation-as-termination", "rl")
    assert first["credence"] > 0.5
    assert first["sources"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["probe", "nothing.py"], "There is no file 'nothing.py'"),
        (["probe", "nothing.py:learn"], "There is no file 'nothing.py'"),
        (["probe", "no_such_module_at_all:learn"], "There is no module"),
        (["probe", "learn"], "names no function"),
        (["probe", "sb3:PPPO"], "Did you mean 'PPO'?"),
        (["probe", "sb3:PPO", "--only", "constnt"], "Did you mean 'constant'"),
        (["probe", "sb3:PPO", "--set", "n_steps"], "KEY=VALUE"),
        (["check", "CartPol-v1"], "knows no environment"),
        (["watch", "no_such_folder"], "There is no file or folder"),
        (["defaults", "PPQ"], "Did you mean 'PPO'?"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_requests_get_one_sentence(words: list[str], sentence: str) -> None:
    done = rl(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_script_without_an_environment_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("print('hello')\n")
    done = rl("probe", f"{tmp_path}/empty.py")
    assert done.returncode == 2
    assert "--env-id {env}" in done.stderr


def test_an_environment_is_checked() -> None:
    done = rl("check", "CartPole-v1", "--steps", "600", "--json", "-")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert data["numbers"]["features"] == 4
    assert data["agents"]["random"]["length"]["mean"] > 5


def test_defaults_are_printed() -> None:
    assert "clip" in rl("defaults", "ppo").stdout


@pytest.mark.parametrize(
    ("target", "only", "result", "shown"),
    [
        ("sb3:PPO", (), "passed", True),
        ("sb3:PPO", (), "failed", False),
        ("sb3:PPO", (), "undecided", False),
        ("sb3:PPO", ("action",), "passed", False),
        ("agent.py:learn", (), "passed", False),
    ],
)
def test_settings_are_shown_only_when_the_agent_is_known_to_be_right(
    target: str, only: tuple[str, ...], result: str, shown: bool
) -> None:
    ladder = Ladder((Rung(tables.constant(), 0.99, cast(Result, result)),), ())
    assert bool(_tuning(target, Request(only=only), ladder)) is shown


def test_seeds_that_do_not_stand_apart_are_not_called_failed() -> None:
    assert "no group of seeds is separate; failure rate at most 63%" in seed_dots(seeds([1.0, 2.0, 3.0]))
    assert "2 below 2.5" in seed_dots(seeds([1.0, 2.0, 3.0], threshold=2.5))

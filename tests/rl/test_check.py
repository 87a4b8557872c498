"""Eighteen broken environments are found, legal ones are left alone."""

import math
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from sleuth.errors import SleuthError
from sleuth.rl import played, soundness
from sleuth.rl.agents import cheat, cross_entropy, summary, tabular_q
from sleuth.rl.rollouts import made, play
from sleuth.rl.soundness import check
from sleuth.rl.tables import ladder
from tests.rl.broken_envs import CLASSIC, FAULTS, LEGAL, OneStep, Walk


@pytest.mark.parametrize("fault", FAULTS)
def test_every_broken_environment_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soundness, "PATIENT", 3000)  # an endless walk is endless soon enough
    found = check(fault, lambda: Walk(fault), steps=1200).findings
    assert FAULTS[fault] in [entry.cause for entry in found]
    assert all(entry.family == "rl" for entry in found)


@pytest.mark.parametrize("name", LEGAL)
def test_legal_environments_are_left_alone(name: str) -> None:
    assert check(name, LEGAL[name], steps=1200).findings == ()


@pytest.mark.parametrize("name", CLASSIC)
def test_the_classic_tasks_are_left_alone(name: str) -> None:
    assert check(name, made(name), steps=1200).findings == ()


def test_who_ends_late_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Far beyond the steps that were asked for, and no farther than the first end."""

    class Long(Walk):
        def _ends(self) -> tuple[bool, bool]:
            return False, self.clock >= 4000

    result = check("long", Long, steps=600)
    assert "episode-length-degenerate" not in [entry.cause for entry in result.findings]
    assert [episode.length for episode in result.facts.others["patient"].episodes] == [4000]
    monkeypatch.setattr(soundness, "PATIENT", 3000)
    found = [entry.cause for entry in check("long", Long, steps=600).findings]
    assert "episode-length-degenerate" in found


def test_late_faults_are_told_with_their_step() -> None:
    (found,) = check("late", lambda: Walk("nan-late-reward"), steps=1200).findings
    assert found.numbers["first_step"] == 20


def test_a_far_reward_is_compared_with_the_horizon() -> None:
    class Far(Walk):
        def _paid(self, reward: float) -> tuple[float, float]:
            return (1.0 if self.clock == 35 else 0.0), 0.0

        def _ends(self) -> tuple[bool, bool]:
            return False, self.clock >= 40

    assert [e.cause for e in check("far", Far, 0.9, 1200).findings] == ["horizon-too-short"]
    assert check("far", Far, 0.99, 1200).findings == ()


def test_copies_that_start_alike_are_seen() -> None:
    class Twin(Walk):
        def __init__(self) -> None:
            super().__init__()
            self._np_random = np.random.default_rng(0)

    assert "envs-correlated" in [entry.cause for entry in check("twin", Twin, steps=600).findings]


def test_what_is_no_environment_is_said() -> None:
    with pytest.raises(SleuthError, match="knows no environment"):
        made("NoSuchTask-v0")
    with pytest.raises(SleuthError, match="no module"):
        made("no_such_module_here:make_env")


@pytest.mark.parametrize(
    ("method", "given", "words"),
    [
        ("step", (np.zeros(2, np.float32), 0.0, True, {}), "step returned 4 values"),
        ("step", (np.zeros(2, np.float32), None, True, False, {}), "None as its reward"),
        ("reset", np.zeros(2, np.float32), "reset returned ndarray"),
    ],
)
def test_other_interfaces_are_told_what_is_wanted(method: str, given: object, words: str) -> None:
    def make() -> Walk:
        env = Walk()
        setattr(env, method, lambda *_, **__: given)
        return env

    with pytest.raises(SleuthError, match=words):
        check("odd", make, steps=300)


def test_an_environment_that_breaks_now_and_then_is_a_finding() -> None:
    class Breaks(Walk):
        """From its second episode on, so that replays in a used environment break as well."""

        episodes = 0

        def step(self, action: object) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
            self.episodes += self.clock == 0
            if self.clock == 12 and self.episodes > 1:
                raise ZeroDivisionError("no speed")
            return super().step(action)

    result = check("breaks", Breaks, steps=600)
    assert "no speed" in result.findings[0].message


def test_scales_are_told_as_numbers() -> None:
    numbers = check("walk", Walk, steps=600).to_dict()["numbers"]
    assert sum(numbers["observation_histogram"]["counts"]) >= 600
    assert len(numbers["reward_histogram"]["edges"]) == 11
    assert numbers["observation_outliers"] == 0.0
    rare = np.zeros((1000, 2))
    rare[7, 1] = 5.0
    assert played.outliers(rare) == 0.001


def test_random_rollouts_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from sleuth.show import rl_pictures

    rl_pictures.write(check("walk", Walk, steps=300), Walk, str(tmp_path / "rollouts.png"))
    assert (tmp_path / "rollouts.png").read_bytes().startswith(b"\x89PNG")


def test_learning_baselines_beat_chance_in_a_solvable_world() -> None:
    def make() -> OneStep:
        return OneStep(truncates=False)

    for act in (tabular_q(make, 1500), cross_entropy(make, 1500)):
        totals = [episode.total for episode in play(make(), act, 200).episodes]
        assert summary(totals)["mean"] > 0.9


def test_the_cheat_sees_what_is_hidden() -> None:
    act = cheat(ladder()["episode-leak"], 0.99)
    assert act(0) == 1


def test_summaries() -> None:
    found = summary([1.0, 2.0, 3.0])
    assert (found["min"], found["mean"], found["max"]) == (1.0, 2.0, 3.0)
    assert math.isclose(found["sd"], (2 / 3) ** 0.5)


def test_chance_that_shares_a_seed_with_the_environment_is_still_chance() -> None:
    """An action drawn from the stream of the environment would always match its coin."""

    class Coin(gymnasium.Env[np.ndarray, np.int64]):
        observation_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(
            self, *, seed: int | None = None, options: dict[str, object] | None = None
        ) -> tuple[np.ndarray, dict[str, object]]:
            super().reset(seed=seed)
            self.coin = int(self.np_random.integers(2))
            return np.array([2.0 * self.coin - 1.0], np.float32), {}

        def step(self, action: np.int64) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
            return np.zeros(1, np.float32), float(action == self.coin), True, False, {}

    result = check("coin", Coin, steps=1200)
    assert result.facts.agents["random"]["return"]["mean"] == pytest.approx(0.5, abs=0.1)
    assert result.findings == ()

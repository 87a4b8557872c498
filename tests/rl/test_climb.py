"""The order of the climb, what it leaves out, and agents that were written to be hard to judge."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sleuth.rl import sb3
from sleuth.rl.ladder import Pace, climb, once
from sleuth.rl.probing import Request, probe_learn, tables_for
from sleuth.rl.reading import Reading
from sleuth.rl.tables import continuous, ladder
from sleuth.rl.truth import best_q
from sleuth.rl.worlds import Witness, coding, make_world

PACE = Pace(100, 1.3, 400)


class Knowing:
    """Answers with the truth of its table, or with zeros."""

    trained = 0

    def __init__(self, name: str, right: bool) -> None:
        self.q = tuple((row[0], row[1]) for row in best_q(ladder()[name], 0.99))
        self.right = right

    def until(self, steps: int) -> Reading | None:
        return Reading(q=self.q if self.right else tuple((0.0, 0.0) for _ in self.q))


def climbed(wrong: str = "") -> tuple[list[str], dict[str, str]]:
    """The order in which worlds were trained in, and what became of each."""
    order: list[str] = []

    def start(table: Any, seed: int, gamma: float) -> Knowing:
        if table.name not in order:
            order.append(table.name)
        return Knowing(table.name, table.name != wrong)

    tables = [table for table in ladder().values() if table.gamma is None]
    return order, {rung.table.name: rung.result for rung in climb(tables, start, lambda _: PACE, 0.99, 0)}


def test_who_passes_the_demanding_probes_is_not_asked_what_they_imply() -> None:
    order, results = climbed()
    assert not {"constant", "observation", "discount", "action"} & set(order)
    assert {results[name] for name in ("constant", "observation", "discount", "action")} == {"implied"}
    assert {result for name, result in results.items() if name in order} == {"passed"}


@pytest.mark.parametrize("wrong", ["boundary", "alignment", "episode-leak"])
def test_when_one_fails_every_rung_is_climbed(wrong: str) -> None:
    order, results = climbed(wrong)
    assert set(order) == set(results)
    assert results.pop(wrong) == "failed"
    assert set(results.values()) == {"passed"}
    assert order.index("constant") == order.index(wrong) + 1


def test_every_probe_that_is_implied_names_probes_of_the_ladder() -> None:
    for table in ladder().values():
        assert set(table.implied_by) <= set(ladder())
        assert not any(ladder()[name].implied_by for name in table.implied_by)


def test_what_was_asked_for_by_name_is_never_left_out() -> None:
    assert not any(table.implied_by for table in tables_for(Request(only=tuple(ladder()))))


class Rollouts:
    """Trains in rollouts of 512 whatever it is asked for."""

    def __init__(self) -> None:
        self.trained = 0

    def until(self, steps: int) -> Reading | None:
        self.trained = max(self.trained, -(-steps // 512) * 512)
        return Reading((1.0,))


def test_one_rollout_is_one_look() -> None:
    rung = once(ladder()["constant"], lambda *_: Rollouts(), PACE, 0.99, 0)
    assert [check.steps for check in rung.checks] == [512, 1024, 1536]


def correlated(make_env: Any, steps: int, seed: int, gamma: float) -> Iterator[Any]:
    """Explores with a generator of the same kind and seed as many environments have."""
    chance, env = np.random.default_rng(seed), make_env()
    table: dict[bytes, Any] = {}
    obs, _ = env.reset(seed=seed)
    for step in range(steps):
        row = table.setdefault(obs.tobytes(), np.zeros(2))
        action = int(chance.random() < (0.1 if row[0] > row[1] else 0.9))
        after, reward, terminated, truncated, _ = env.step(action)
        best = table.setdefault(after.tobytes(), np.zeros(2)).max()
        row[action] += 0.2 * (reward + (0.0 if terminated else gamma * best) - row[action])
        obs = env.reset()[0] if terminated or truncated else after
        if step % 50 == 49:
            yield {"q": lambda obs: table.setdefault(obs.tobytes(), np.zeros(2))}


def test_a_seed_shared_with_the_environment_does_no_harm() -> None:
    """With one stream for both, the agent's draw would be the one that chose the state."""
    result = probe_learn(correlated, Request(only=("observation", "action-observation")))
    assert [rung.result for rung in result.rungs] == ["passed", "passed"]


def pessimist(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
    """Values the next state by its *worst* action."""
    chance, env = np.random.default_rng(seed), make_env()
    table: dict[bytes, Any] = {}
    obs, _ = env.reset(seed=seed)
    for _ in range(steps):
        row = table.setdefault(obs.tobytes(), np.zeros(2))
        action = int(chance.integers(2)) if chance.random() < 0.3 else int(row.argmax())
        after, reward, terminated, truncated, _ = env.step(action)
        worst = table.setdefault(after.tobytes(), np.zeros(2)).min()
        row[action] += 0.2 * (reward + (0.0 if terminated else gamma * worst) - row[action])
        obs = env.reset()[0] if terminated or truncated else after
    return {"q": lambda obs: table.setdefault(obs.tobytes(), np.zeros(2))}


def test_the_right_action_with_the_wrong_worth_is_seen() -> None:
    result = probe_learn(pessimist, Request(only=("action", "delayed", "multi-step"), steps=4000))
    assert [rung.result for rung in result.rungs] == ["passed", "passed", "failed"]
    assert [entry.cause for entry in result.findings] == ["discount-broken"]
    assert "another action than its best" in result.findings[0].message


def test_the_world_of_a_target_pays_by_distance() -> None:
    table = continuous()["target-action"]
    code, witness = coding(table), Witness()
    env = make_world(table, code, witness)
    for _ in range(20):
        obs, _ = env.reset()
        target = 0.0 if obs[0] < 0 else 2.0
        _, reward, terminated, truncated, _ = env.step(np.array([target + 0.5], np.float32))
        assert float(reward) == pytest.approx(0.5)
        assert (terminated, truncated) == (True, False)
    env.reset()
    env.step(np.array([7.0], np.float32))
    assert witness.outside == 1


@pytest.mark.parametrize(("answer", "result"), [(1.0, "passed"), (0.5, "failed")])
def test_an_action_that_is_not_scaled_to_its_bounds_shows(answer: float, result: str) -> None:
    def fixed(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        env = make_env()
        for _ in range(steps):
            env.reset()
            env.step(env.action_space.sample())
        # Half-way up from the middle of [-1, 1] is half the distance to the edges of [-2, 2].
        return {"policy": lambda obs: 2.0 * answer}

    rungs = probe_learn(fixed, Request(only=("edge-action",), steps=300)).rungs
    assert [rung.result for rung in rungs] == [result]


@pytest.mark.parametrize(
    ("name", "settings", "first", "least"),
    [
        ("PPO", {"n_steps": 64}, 256, 6000),
        ("A2C", {}, 200, 6000),
        ("DQN", {"learning_starts": 50}, 150, 25_000),
        ("SAC", {}, 200, 9000),
    ],
)
def test_the_budget_comes_from_the_settings(
    name: str, settings: dict[str, Any], first: int, least: int
) -> None:
    """A DQN that copies its target every 10,000 steps needs as many; n-step replay is no rollout."""
    pytest.importorskip("stable_baselines3")
    form = sb3.form_for(name)
    pace = sb3.pace(sb3.maker(name, settings, form), form, name in sb3.ON_POLICY)(ladder()["constant"])
    assert pace.first == first
    assert pace.last >= least


def test_the_settings_of_the_user_stay_as_they_were() -> None:
    """Stable-Baselines3 writes into the dictionaries it is given."""
    pytest.importorskip("stable_baselines3")
    settings = {"policy_kwargs": {"net_arch": [8]}, "buffer_size": 100}
    table = ladder()["constant"]
    for name in ("SAC", "TD3"):
        form = sb3.form_for(name)
        sb3.pace(sb3.maker(name, settings, form), form, False)(table)
    assert settings == {"policy_kwargs": {"net_arch": [8]}, "buffer_size": 100}


@pytest.mark.parametrize(
    ("policy", "spaces"), [("CnnPolicy", "image"), ("MultiInputPolicy", "dict"), ("MlpPolicy", "vector")]
)
def test_a_policy_for_pictures_is_shown_pictures(policy: str, spaces: str) -> None:
    assert sb3.spaces_of({"policy": policy}) == spaces
    assert sb3.spaces_of({}) == "vector"

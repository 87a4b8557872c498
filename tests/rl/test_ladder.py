"""The ladder on real agents: right ones pass, broken ones are named, odd ones are told in a sentence."""

import random
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from bench.rl_agents import EXPECTED, actor_critic, q_learner
from sleuth.errors import SleuthError
from sleuth.rl.judge import Error
from sleuth.rl.ladder import Check, Pace, Trouble, attempt, once
from sleuth.rl.probing import Request, probe_learn
from sleuth.rl.reading import Reading, read
from sleuth.rl.tables import ladder
from sleuth.rl.worlds import Witness, coding


def tabular(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
    """Q learning in a dictionary."""
    chance, env = random.Random(seed), make_env()
    table: dict[Any, Any] = defaultdict(lambda: np.zeros(2))
    key = tuple(env.reset(seed=seed)[0])
    for _ in range(steps):
        action = chance.randrange(2) if chance.random() < 0.2 else int(table[key].argmax())
        obs, reward, terminated, truncated, _ = env.step(action)
        goal = reward + (0.0 if terminated else gamma * table[tuple(obs)].max())
        table[key][action] += 0.2 * (goal - table[key][action])
        key = tuple(env.reset()[0] if terminated or truncated else obs)
    return {"q": lambda obs: table[tuple(obs)]}


def test_a_right_agent_passes_everything() -> None:
    result = probe_learn(tabular, Request())
    assert [rung.table.name for rung in result.rungs] == list(ladder())
    assert [rung.result for rung in result.rungs] == ["implied"] * 4 + ["passed"] * 8
    assert result.findings == ()


QUICK = ("constant", "observation", "discount", "action", "boundary", "alignment")


SLOWEST = pytest.param("reward-late", marks=pytest.mark.slow)


@pytest.mark.parametrize("bug", [SLOWEST, "truncation-ends", "gamma-0", "obs-zero"])
def test_broken_q_learners_are_named(bug: str) -> None:
    found = probe_learn(q_learner(bug), Request(steps=3000, only=QUICK)).findings
    assert found[0].cause in EXPECTED[bug]


@pytest.mark.parametrize("bug", ["advantage-sign", "value-loss-off"])
def test_broken_actor_critics_are_named(bug: str) -> None:
    found = probe_learn(actor_critic(bug), Request(steps=2000, only=QUICK)).findings
    assert found[0].cause in EXPECTED[bug]


def test_an_agent_that_needs_numbers_for_observations_gets_them() -> None:
    def discrete(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        env = make_env()
        return tabular(lambda: _Boxed(env), steps, seed, gamma) if env.observation_space.n else None

    class _Boxed:
        def __init__(self, env: Any) -> None:
            self.env = env

        def reset(self, seed: int | None = None) -> Any:
            return (int(self.env.reset(seed=seed)[0]),), {}

        def step(self, action: int) -> Any:
            obs, *rest = self.env.step(action)
            return ((int(obs),), *rest)

    def wrapped(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        agent = discrete(make_env, steps, seed, gamma)
        return {"q": lambda obs: agent["q"]((int(obs),))}

    result = probe_learn(wrapped, Request(only=("constant", "observation")))
    assert [rung.result for rung in result.rungs] == ["passed", "passed"]
    assert any("discrete observations" in remark for remark in result.remarks)


@pytest.mark.parametrize("kind", ["image", "dict", "multi-discrete"])
def test_an_agent_that_takes_only_other_observations_gets_them(kind: str) -> None:
    """Refuses everything else, as a net of convolutions does; the whole ladder is climbed in its spaces."""

    def key(obs: Any) -> Any:
        return obs["code"].tobytes() if isinstance(obs, dict) else obs.tobytes()

    def picky(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        space = make_env().observation_space
        found = "dict" if type(space).__name__ == "Dict" else "image" if len(space.shape) == 3 else ""
        found = "multi-discrete" if type(space).__name__ == "MultiDiscrete" else found
        assert found == kind, f"not {kind}"
        chance, env = random.Random(seed), make_env()
        table: dict[Any, Any] = defaultdict(lambda: np.zeros(2))
        obs, _ = env.reset(seed=seed)
        for _ in range(steps):
            row = table[key(obs)]
            action = chance.randrange(2) if chance.random() < 0.2 else int(row.argmax())
            obs, reward, terminated, truncated, _ = env.step(action)
            row[action] += 0.2 * (reward + gamma * (not terminated) * table[key(obs)].max() - row[action])
            obs = env.reset()[0] if terminated or truncated else obs
        return {"q": lambda obs: table[key(obs)]}

    result = probe_learn(picky, Request(only=("boundary", "action-observation")))
    assert [rung.result for rung in result.rungs] == ["passed", "passed"]
    assert f"with {kind} observations" in result.remarks[0]
    by_name = probe_learn(picky, Request(only=(kind,), spaces=kind))
    assert [(rung.table.name, rung.result) for rung in by_name.rungs] == [(kind, "passed")]


def test_an_agent_that_never_ends_is_not_tried_in_other_spaces() -> None:
    tried: list[Any] = []

    def none(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        env = make_env()
        tried.append(env.observation_space)
        env.reset()
        env.step(0)

    with pytest.raises(SleuthError, match="returned None"):
        probe_learn(none, Request())
    assert len(tried) == 1


def test_an_agent_that_raises_is_told_in_one_sentence() -> None:
    def broken(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        raise RuntimeError("the net has no head")

    with pytest.raises(SleuthError, match="RuntimeError: the net has no head"):
        probe_learn(broken, Request())


def test_an_agent_that_never_steps_is_told() -> None:
    def idle(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        make_env()
        return {"value": lambda obs: 0.0}

    with pytest.raises(SleuthError, match="never stepped"):
        probe_learn(idle, Request())


def test_a_seed_that_is_ignored_is_remarked() -> None:
    def careless(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        return tabular(make_env, steps, random.randrange(10**6), gamma) | {
            "value": lambda obs: random.random()
        }

    result = probe_learn(careless, Request(only=("action",), steps=1000))
    assert any("one seed differ" in remark for remark in result.remarks)


def test_an_answer_of_the_wrong_shape_only_drops_its_checks() -> None:
    table = ladder()["action"]
    agent = {"value": lambda obs: np.zeros(3), "policy": lambda obs: np.array([0.1, 0.9])}
    reading = read(agent, table, coding(table), Witness())
    assert reading.values is None
    assert reading.policy == (0.9,)
    assert "expected one number" in reading.troubles[0]


@pytest.mark.parametrize(
    ("answer", "second"),
    [(1, 1.0), (np.array([0.25, 0.75]), 0.75), (np.array([1.0, 3.0]), 0.881), ((0, None), 0.0)],
)
def test_policies_answer_in_many_ways(answer: Any, second: float) -> None:
    table = ladder()["action"]
    reading = read({"policy": lambda obs: answer}, table, coding(table), Witness())
    assert reading.policy is not None
    assert reading.policy[0] == pytest.approx(second, abs=1e-3)


class Scripted:
    """A session that reads out what it is told."""

    trained = 0

    def __init__(self, values: list[float]) -> None:
        self.values = list(values)

    def until(self, steps: int) -> Reading | None:
        return Reading((self.values.pop(0),)) if self.values else None


PACE = Pace(100, 1.3, 2000)


def verdict(values: list[float]) -> str:
    return once(ladder()["constant"], lambda *_: Scripted(values), PACE, 0.99, 0).result


def test_a_value_on_its_way_up_does_not_pass() -> None:
    assert verdict([0.5, 0.9, 1.1, 1.5, 2.0, 2.6, 3.4, 4.5, 6.0, 8.0, 10.0, 13.0, 17.0]) == "failed"


def test_three_in_a_row_pass() -> None:
    assert verdict([0.2, 0.9, 1.0, 1.1]) == "passed"


def test_an_error_that_still_shrinks_is_undecided() -> None:
    assert verdict([0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.62, 0.7, 0.75]) == "undecided"


def test_a_fail_on_one_seed_of_three_is_flaky() -> None:
    bad, good = [0.0] * 20, [1.0] * 20
    plans = iter([bad, good, good])
    rung = attempt(ladder()["constant"], lambda *_: Scripted(next(plans)), PACE, 0.99, 0, 3)
    assert (rung.result, rung.failing, rung.seeds) == ("flaky", 1, 3)
    plans = iter([bad, good, bad])
    rung = attempt(ladder()["constant"], lambda *_: Scripted(next(plans)), PACE, 0.99, 0, 3)
    assert (rung.result, rung.failing) == ("failed", 2)


def test_trouble_in_one_probe_is_its_reason() -> None:
    def start(*_: Any) -> Any:
        raise Trouble("no such space")

    rung = once(ladder()["constant"], start, PACE, 0.99, 0)
    assert (rung.result, rung.reason) == ("crashed", "no such space")


def test_checks_hold_what_was_seen() -> None:
    rung = once(ladder()["constant"], lambda *_: Scripted([1.0, 1.0, 1.0]), PACE, 0.99, 0)
    assert isinstance(rung.checks[-1], Check)
    assert rung.checks[-1].error == Error(0.0, "V(s0) = 1.00, right is 1.00")


def remembering(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
    """Keeps the cue of this episode until it has to act."""
    env, cue = make_env(), 0.0
    obs, _ = env.reset(seed=seed)
    for _ in range(steps):
        cue = float(obs[0]) or cue
        obs, _, terminated, truncated, _ = env.step(int(cue > 0))
        if terminated or truncated:
            obs, _ = env.reset()
    return {"policy": lambda obs: 0}


def forgetful(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
    env = make_env()
    env.reset(seed=seed)
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(1)
        if terminated or truncated:
            env.reset()
    return {"policy": lambda obs: 1}


def test_memory_is_judged_by_deeds() -> None:
    assert probe_learn(remembering, Request(only=("memory",))).rungs[0].result == "passed"
    result = probe_learn(forgetful, Request(only=("memory",), steps=1000))
    assert result.rungs[0].result == "failed"
    assert [entry.severity for entry in result.findings] == ["note"]


def yielding(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
    """`tabular`, which shows its table every hundred steps instead of starting anew."""
    chance, env = random.Random(seed), make_env()
    table: dict[Any, Any] = defaultdict(lambda: np.zeros(2))
    key = tuple(env.reset(seed=seed)[0])
    for step in range(1, steps + 1):
        action = chance.randrange(2) if chance.random() < 0.2 else int(table[key].argmax())
        obs, reward, terminated, truncated, _ = env.step(action)
        goal = reward + (0.0 if terminated else gamma * table[tuple(obs)].max())
        table[key][action] += 0.2 * (goal - table[key][action])
        key = tuple(env.reset()[0] if terminated or truncated else obs)
        if step % 100 == 0:
            yield {"q": lambda obs: table[tuple(obs)]}


def test_an_agent_that_yields_is_trained_once() -> None:
    result = probe_learn(yielding, Request(only=QUICK))
    assert [rung.result for rung in result.rungs] == ["passed"] * len(QUICK)
    rung = result.rungs[0]
    assert rung.last is not None
    assert rung.facts["steps"] < rung.last.steps + 100


def test_a_short_course_is_judged_by_what_it_showed() -> None:
    def short(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        yield from yielding(make_env, 400, seed, gamma)

    assert probe_learn(short, Request(only=("constant",))).rungs[0].result in ("failed", "passed")


def test_a_right_agent_is_cheap() -> None:
    asked: list[int] = []

    def counted(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        asked.append(steps)
        return tabular(make_env, steps, seed, gamma)

    probe_learn(counted, Request())
    assert sum(asked) < 30_000  # three looks of a thousand steps and more at each probe were 48,000


def test_a_sum_without_a_discount_is_named() -> None:
    def undiscounted(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        return tabular(make_env, steps, seed, 1.0)

    def own(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        return tabular(make_env, steps, seed, 0.99)

    found = probe_learn(undiscounted, Request(only=("constant", "continuing"))).findings
    assert [entry.cause for entry in found] == ["discount-broken"]
    assert "without a discount" in found[0].message
    result = probe_learn(own, Request(only=("constant", "continuing")))
    assert [rung.result for rung in result.rungs] == ["passed", "skipped"]
    assert result.findings == ()


def whole_episodes(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
    """Monte Carlo: what has not ended is not learnt from."""
    env = make_env()
    values: dict[Any, float] = defaultdict(float)
    key, rows = tuple(env.reset(seed=seed)[0]), []
    for _ in range(steps):
        obs, reward, terminated, truncated, _ = env.step(0)
        rows.append((key, reward))
        key = tuple(obs)
        if terminated or truncated:
            total = 0.0 if terminated else values[key]
            for seen, earned in reversed(rows):
                total = earned + gamma * total
                values[seen] += 0.2 * (total - values[seen])
            key, rows = tuple(env.reset()[0]), []
    return {"value": lambda obs: values[tuple(obs)]}


def test_whole_episodes_are_no_fault_in_a_world_without_end() -> None:
    result = probe_learn(whole_episodes, Request(only=("boundary", "continuing")))
    assert [rung.result for rung in result.rungs] == ["passed", "skipped"]
    assert "whole episodes" in result.rungs[1].reason
    assert result.findings == ()


def test_leaving_python_is_told_in_one_sentence() -> None:
    def leaves(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        raise SystemExit(3)

    with pytest.raises(SleuthError, match="exit code 3"):
        probe_learn(leaves, Request())


def test_a_wrong_shape_is_remarked_and_the_ladder_goes_on() -> None:
    def shaped(make_env: Any, steps: int, seed: int, gamma: float) -> Any:
        agent = tabular(make_env, steps, seed, gamma)
        return {"value": lambda obs: np.zeros(7), "policy": lambda obs: int(agent["q"](obs).argmax())}

    result = probe_learn(shaped, Request(only=("constant", "action")))
    assert [rung.result for rung in result.rungs] == ["skipped", "passed"]
    assert any("expected one number, got shape (7,)" in remark for remark in result.remarks)


COSTLY = Pace(250, 2.0, 16_000, shortcut=True)


class Priced(Scripted):
    """Notes what it was asked for."""

    def __init__(self, values: list[float], asked: list[int]) -> None:
        super().__init__(values)
        self.asked = asked

    def until(self, steps: int) -> Reading | None:
        self.asked.append(steps)
        return super().until(steps)


def test_the_first_failure_gets_all_patience_and_its_second_seed_only_what_it_needs() -> None:
    asked: list[int] = []
    rung = attempt(ladder()["constant"], lambda *_: Priced([0.0] * 20, asked), COSTLY, 0.99, 0, 3)
    assert rung.result == "failed"
    assert asked == [250, 500, 1000, 2000, 4000, 16_000, 250]


def test_late_movement_keeps_the_second_seed_patient() -> None:
    asked: list[int] = []
    values = [0.0, 0.0, 0.0, 0.0, 0.4, 0.4]
    attempt(ladder()["constant"], lambda *_: Priced(list(values), asked), COSTLY, 0.99, 0, 3)
    assert asked[6] == 4000


def test_who_stands_still_has_made_up_its_mind() -> None:
    asked: list[int] = []
    settled = Pace(250, 2.0, 16_000, shortcut=True, settles=500)
    rung = once(ladder()["constant"], lambda *_: Priced([0.0] * 20, asked), settled, 0.99, 0)
    assert rung.result == "failed"
    assert asked == [250, 500, 1000]


def test_a_chain_that_is_still_learnt_from_its_end_is_undecided() -> None:
    readings = [Reading(values) for values in [(0.0, 0.0)] * 5 + [(0.0, 1.0)]]
    session = Scripted([])
    session.until = lambda steps: readings.pop(0) if readings else None  # type: ignore[method-assign]
    assert once(ladder()["discount"], lambda *_: session, COSTLY, 0.99, 0).result == "undecided"


@pytest.mark.parametrize(
    ("shares", "result"), [((0.7, 0.3), "undecided"), ((0.7, 0.7), "failed"), ((0.55, 0.45), "failed")]
)
def test_one_who_explores_and_prefers_the_best_action_everywhere_is_no_case(
    shares: tuple[float, float], result: str
) -> None:
    table = ladder()["action-observation"]
    best = [table.best[state] for state in sorted(table.best or {})]  # type: ignore[index]
    acted = shares if best[0] == 1 else (1 - shares[0], 1 - shares[1])
    session = Scripted([])
    session.until = lambda steps: Reading(acted=acted)  # type: ignore[method-assign]
    assert once(table, lambda *_: session, PACE, 0.99, 0).result == result

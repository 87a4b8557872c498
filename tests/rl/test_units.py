"""Unit checks: right functions pass, each known flaw is named."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sleuth.rl as rl
from sleuth.errors import SleuthError
from sleuth.judge.relations import says
from sleuth.rl.sums import FLAWS, gae, nstep, returns
from sleuth.rl.units import rollouts


def backwards(rewards: Any, values: Any, dones: Any, last_value: float, gamma: float, lam: float) -> Any:
    """GAE as it is usually written."""
    found, running = np.zeros(len(rewards)), 0.0
    for t in reversed(range(len(rewards))):
        following = last_value if t == len(rewards) - 1 else values[t + 1]
        delta = rewards[t] + gamma * following * (1 - dones[t]) - values[t]
        running = delta + gamma * lam * (1 - dones[t]) * running
        found[t] = running
    return found


def test_the_usual_gae_is_right_also_with_returns_beside_it() -> None:
    assert rl.check_gae(backwards)
    assert rl.check_gae(
        lambda rewards, values, dones, last_value, gamma, lam: (
            backwards(rewards, values, dones, last_value, gamma, lam),
            values,
        )
    )


def test_the_flags_of_rows_that_follow_an_end_are_understood() -> None:
    def shifted(
        rewards: Any, values: Any, dones: Any, next_value: Any, next_done: Any, gamma: Any, lam: Any
    ) -> Any:
        return backwards(rewards, values, [*dones[1:], next_done], next_value, gamma, lam)

    assert rl.check_gae(shifted)


BROKEN: dict[str, Callable[..., Any]] = {
    "leak": lambda r, v, d, last, g, lam: _loop(r, v, d, last, g, lam, carry=False),
    "bootstrap": lambda r, v, d, last, g, lam: _loop(r, v, d, last, g, lam, mask=False),
    "lambda missing": lambda r, v, d, last, g, lam: _loop(r, v, d, last, g, 1.0),
    "gamma missing": lambda r, v, d, last, g, lam: _loop(r, v, d, last, 1.0, lam),
    "last value": lambda r, v, d, last, g, lam: _loop(r, v, d, 0.0, g, lam),
    "done late": lambda r, v, d, last, g, lam: _loop(r, v, np.append(0.0, d[:-1]), last, g, lam),
    "reward early": lambda r, v, d, last, g, lam: _loop(np.append(r[1:], 0.0), v, d, last, g, lam),
    "sign": lambda r, v, d, last, g, lam: -_loop(r, v, d, last, g, lam),
}


def _loop(
    r: Any, v: Any, d: Any, last: Any, g: float, lam: float, mask: bool = True, carry: bool = True
) -> Any:
    found, running = np.zeros(len(r)), 0.0
    for t in reversed(range(len(r))):
        following = last if t == len(r) - 1 else v[t + 1]
        delta = r[t] + g * following * (1 - d[t] if mask else 1.0) - v[t]
        running = delta + g * lam * (1 - d[t] if carry else 1.0) * running
        found[t] = running
    return found


@pytest.mark.parametrize("flaw", BROKEN)
def test_each_flaw_is_named(flaw: str) -> None:
    broken = BROKEN[flaw]

    def mine(rewards: Any, values: Any, dones: Any, last_value: Any, gamma: float, lam: float) -> Any:
        return broken(rewards, values, dones, last_value, gamma, lam)

    found = rl.check_gae(mine)
    assert not found
    assert found.flaw == flaw
    assert flaw in says(found.findings[0].cause, "FLAWED_SUMS")
    assert FLAWS[flaw].says in str(found)


def test_truncation_is_asked_where_the_function_knows_of_it() -> None:
    def joined(
        rewards: Any, values: Any, next_values: Any, terminated: Any, truncated: Any, gamma: Any, lam: Any
    ) -> Any:
        ended = np.maximum(terminated, truncated)
        found, running = np.zeros(len(rewards)), 0.0
        for t in reversed(range(len(rewards))):
            delta = rewards[t] + gamma * next_values[t] * (1 - ended[t]) - values[t]
            running = delta + gamma * lam * (1 - ended[t]) * running
            found[t] = running
        return found

    found = rl.check_gae(joined)
    assert found.flaw == "truncation"
    assert found.findings[0].cause == "truncation-as-termination"


def test_returns_and_n_step_targets() -> None:
    def total(rewards: Any, dones: Any, gamma: float) -> list[float]:
        running, found = 0.0, []
        for reward, done in zip(reversed(rewards), reversed(dones), strict=True):
            running = reward + gamma * running * (1 - done)
            found.append(running)
        return found[::-1]

    def leaking(rewards: Any, dones: Any, gamma: float) -> list[float]:
        return total(rewards, [0.0] * len(rewards), gamma)

    def windows(rewards: Any, next_values: Any, dones: Any, gamma: float, n: int) -> list[float]:
        found = []
        for t in range(len(rewards)):
            sum_, weight = 0.0, 1.0
            for k in range(t, min(t + n, len(rewards))):
                sum_, weight = sum_ + weight * rewards[k], weight * gamma
                if dones[k]:
                    weight = 0.0
                    break
            found.append(sum_ + weight * next_values[k])
        return found

    assert rl.check_returns(total)
    assert rl.check_returns(leaking).findings[0].cause == "bootstrap-through-terminal"
    assert rl.check_nstep(windows)
    assert not rl.check_nstep(
        lambda rewards, next_values, dones, gamma, n: windows(rewards, next_values, dones, gamma, n + 1)
    )


@pytest.mark.parametrize("reference", [gae, returns, nstep])
def test_every_flaw_differs_from_the_truth_somewhere(reference: Any) -> None:
    from sleuth.rl.sums import Way

    cases = [case for _, case in rollouts(truncation=True)]
    for label, flaw in FLAWS.items():
        if reference(cases[0], flaw.way) == reference(cases[0], Way()) and label in (
            "no baseline",
            "late discount",
        ):
            continue
        if label.startswith(("lambda", "no baseline", "late discount")) and reference is not gae:
            continue
        if label == "late discount":
            continue
        assert any(reference(case, flaw.way) != reference(case, Way()) for case in cases), label


def test_a_parameter_that_nothing_is_known_of_is_said() -> None:
    def odd(rewards: Any, wibble: Any) -> Any:
        return rewards

    with pytest.raises(SleuthError, match="wibble"):
        rl.check_returns(odd)


class Running:
    """Mean and variance over all data, clipped."""

    def __init__(self) -> None:
        self.mean, self.var, self.count = 0.0, 1.0, 1e-4

    def update(self, batch: Any) -> None:
        mean, var, count = batch.mean(0), batch.var(0), len(batch)
        total, gap = self.count + count, mean - self.mean
        self.var = (self.var * self.count + var * count + gap**2 * self.count * count / total) / total
        self.mean = self.mean + gap * count / total
        self.count = total

    def normalize(self, rows: Any) -> Any:
        return np.clip((rows - self.mean) / np.sqrt(self.var + 1e-8), -10, 10)


class Latest(Running):
    def update(self, batch: Any) -> None:
        self.mean, self.var = batch.mean(0), batch.var(0)


class Unclipped(Running):
    def normalize(self, rows: Any) -> Any:
        return (rows - self.mean) / np.sqrt(self.var + 1e-8)


class Restless(Running):
    def normalize(self, rows: Any) -> Any:
        self.update(rows)
        return super().normalize(rows)


class Scaled(Running):
    def normalize(self, rows: Any) -> Any:
        return np.clip(rows / np.sqrt(self.var + 1e-8), -10, 10)


def test_normalisers() -> None:
    assert rl.check_normalizer(Running)
    assert rl.check_normalizer(Scaled, kind="reward")
    assert "not those of all data" in str(rl.check_normalizer(Latest))
    assert "outlier" in str(rl.check_normalizer(Unclipped))
    assert rl.check_normalizer(Unclipped, clip=None)
    assert any("Reading changes" in text for text in rl.check_normalizer(Restless).wrong)
    assert rl.check_normalizer(Running, kind="reward").findings[0].cause == "reward-shifted"

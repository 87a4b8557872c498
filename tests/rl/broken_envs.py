"""Eighteen environments, each broken once, and legal ones that look unusual."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np


class Walk(gymnasium.Env[Any, Any]):
    """A small honest walk on a line that pays for the right direction; one fault is switched on."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.render_mode = None
        self.observation_space = gymnasium.spaces.Box(-10.0, 10.0, (2,), np.float32)
        if fault == "feature-scale":
            self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.place, self.speed, self.clock = 0.0, 0.0, 0
        self.held = 0.0
        self.shared = np.zeros(2, np.float32)
        self.chance = np.random.default_rng()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if self.fault != "seed-ignored":
            self.chance = self.np_random
        self.clock = 0
        if self.fault != "state-leak":
            self.place = 0.0
        self.place += float(self.chance.uniform(-0.5, 0.5)) if self.fault == "state-leak" else 0.0
        self.place = self.place if self.fault == "state-leak" else float(self.chance.uniform(-0.5, 0.5))
        self.place = float(np.clip(self.place, -2.0, 2.0))
        self.speed = 0.0
        return self._shown(), {}

    def _shown(self) -> Any:
        shown = np.array([self.place, self.speed], np.float32)
        if self.fault == "nan-now" and self.clock == 1:
            shown[0] = np.nan
        if self.fault == "nan-late-observation" and self.clock == 20:
            shown[1] = np.nan
        if self.fault == "float64":
            return shown.astype(np.float64)
        if self.fault == "feature-scale":
            shown[1] *= 1e4
        if self.fault == "frozen":
            return np.array([0.5, 0.5], np.float32)
        if self.fault == "outside-late" and self.clock > 15:
            shown[0] += 20.0
        if self.fault == "aliased":
            self.shared[:] = shown
            return self.shared
        return shown

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.clock += 1
        push = 0.0 if self.fault == "action-ignored" else 2.0 * float(action) - 1.0
        noise = float(self.chance.normal(0.0, 0.3))
        self.speed = 0.3 * push + noise
        self.place = float(np.clip(self.place + self.speed, -9.0, 9.0))
        reward = self.speed
        terminated, truncated = self._ends()
        reward, self.held = self._paid(reward)
        return self._shown(), reward, terminated, truncated, {}

    def _paid(self, reward: float) -> tuple[float, float]:
        if self.fault == "stale-reward":
            return self.held, reward
        if self.fault == "reward-zero":
            return 0.0, reward
        if self.fault == "reward-huge":
            return reward * 1e5, reward
        if self.fault == "nan-late-reward" and self.clock == 20:
            return float("nan"), reward
        return reward, reward

    def _ends(self) -> tuple[bool, bool]:
        out, limit = abs(self.place) > 3.0, self.clock >= 40
        if self.fault == "never-ends":
            return False, False
        if self.fault == "always-seven":
            return self.clock >= 7, False
        if self.fault == "limit-as-end":
            return out or limit, False
        if self.fault == "both-flags":
            return out or limit, out or limit
        return out, limit and not out


FAULTS = {
    "nan-now": "obs-unnormalized",
    "aliased": "obs-ignored",
    "seed-ignored": "seed-lottery",
    "state-leak": "episode-not-reset",
    "float64": "obs-unnormalized",
    "stale-reward": "buffer-misaligned",
    "nan-late-reward": "reward-scale",
    "nan-late-observation": "obs-unnormalized",
    "reward-zero": "reward-constant",
    "reward-huge": "reward-scale",
    "feature-scale": "obs-unnormalized",
    "frozen": "obs-ignored",
    "action-ignored": "policy-update-broken",
    "never-ends": "episode-length-degenerate",
    "always-seven": "episode-length-degenerate",
    "limit-as-end": "truncation-as-termination",
    "both-flags": "truncation-as-termination",
    "outside-late": "obs-unnormalized",
}


class OneStep(gymnasium.Env[Any, Any]):
    """Legal: one step, ended by truncation or by termination."""

    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self, truncates: bool) -> None:
        self.truncates = truncates
        self.render_mode = None
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)
        self.sign = 1.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.sign = 1.0 if self.np_random.random() < 0.5 else -1.0
        return np.array([self.sign], np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward = self.sign * (2.0 * float(action) - 1.0)
        return np.zeros(1, np.float32), reward, not self.truncates, self.truncates, {}


LEGAL: dict[str, Callable[[], Any]] = {
    "walk": Walk,
    "one-step": lambda: OneStep(False),
    "one-step-truncated": lambda: OneStep(True),
}
CLASSIC = (
    "CartPole-v1",
    "MountainCar-v0",
    "MountainCarContinuous-v0",
    "Pendulum-v1",
    "Acrobot-v1",
    "FrozenLake-v1",
    "Taxi-v4",
    "CliffWalking-v1",
    "Blackjack-v1",
)

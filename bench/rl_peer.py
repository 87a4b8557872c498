"""`probing-environments` beside `sleuth rl probe`, on the same agents with the same mistakes.

It pins an older pytest and needs JAX, so that it lives in a folder of its own:
`pip install --target FOLDER probing-environments`, then `PROBING_ENVIRONMENTS=FOLDER python -m bench rl`.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bench.rl_agents import ON_POLICY, actor_critic

SEEDS = 5
BUDGET = 4000  # steps: twice its own default, as these agents are linear and cheap


@dataclass(frozen=True)
class Held:
    """An agent before its training: its `learn`, the class of its environment, its discount."""

    learn: Callable[..., Any]
    env: Any
    gamma: float


def compared() -> str:
    """How many of the on-policy mistakes its five checks see, and whether they trust the right agent."""
    sys.path += [os.environ.get("PROBING_ENVIRONMENTS", "")]  # last: its NumPy must not come before ours
    try:
        checks = import_module("probing_environments.checks")
    except ImportError as error:
        return f"not run ({error.name or error})"
    seen = sum(complains(checks, actor_critic(bug)) for bug in ON_POLICY)
    alarms = sum(complains(checks, actor_critic(), seed) for seed in range(SEEDS))
    return f"{seen} of {len(ON_POLICY)} seen, right agent blamed in {alarms} of {SEEDS}"


def complains(checks: Any, learn: Callable[..., Any], seed: int = 0) -> bool:
    """Whether any of its five checks fails. Its worlds draw from NumPy's global stream."""
    import numpy as np

    np.random.seed(seed)
    asks: dict[str, dict[str, Callable[..., Any]]] = {
        "check_loss_or_optimizer_value_net": {"get_value": _value},
        "check_backprop_value_net": {"get_value": _value},
        "check_reward_discounting": {"get_value": _value, "get_gamma": lambda _: 0.5},
        "check_advantage_policy": {"get_policy": _policy},
        "check_actor_and_critic_coupling": {"get_value": _value, "get_policy": _policy},
    }
    for name, readers in asks.items():
        try:
            getattr(checks, name)(learn, init_agent=_held, train_agent=_trained, budget=BUDGET, **readers)
        except AssertionError:
            return True
    return False


def _held(agent: Callable[..., Any], env: Any, gamma: float = 0.5, **_: Any) -> Held:
    return Held(agent, env, gamma)


def _trained(agent: Held, budget: int) -> Any:
    return agent.learn(lambda: _Seeded(agent.env()), budget, 0, agent.gamma)


class _Seeded:
    """Its worlds have one action where these agents choose between two, and no seed of their own."""

    def __init__(self, env: Any) -> None:
        self.env = env

    def reset(self, seed: int | None = None) -> Any:
        return self.env.reset()

    def step(self, action: int) -> Any:
        return self.env.step(min(action, int(self.env.action_space.n) - 1))


def _value(agent: Any, obs: Any, *_: Any) -> float:
    return float(agent.value(obs))


def _policy(agent: Any, obs: Any) -> Any:
    return agent.policy(obs)

"""Simple agents as baselines: random, constant, automaton, cheat, tabular Q, cross-entropy method."""

from collections.abc import Callable, Sequence
from typing import Any

from sleuth.rl.rollouts import Act, Make, flat, play
from sleuth.rl.tables import Table
from sleuth.rl.truth import best_q

BINS = 6  # cells a dimension for the tabular learner
CANDIDATES, ELITE, ROUNDS = 12, 3, 6
# Added to the seed of whoever acts: an environment with the same seed would draw the same numbers, and an
# action would follow the state it has never looked at.
APART = 104_729


def random_agent(env: Any, seed: int = 0) -> Act:
    env.action_space.seed(APART + seed)
    return lambda _, __: env.action_space.sample()


def constant_agents(env: Any, most: int = 6) -> dict[str, Act]:
    """One agent an action; for continuous spaces the edges and the middle."""
    return {f"always {label}": _always(action) for label, action in _some_actions(env.action_space, most)}


def _always(action: Any) -> Act:
    return lambda _, __: action


def _some_actions(space: Any, most: int) -> list[tuple[str, Any]]:
    import numpy as np

    kind = type(space).__name__
    if kind == "Discrete":
        return [(str(a), int(a)) for a in range(int(space.start), int(space.start) + min(int(space.n), most))]
    if kind == "Box":
        low, high = np.maximum(space.low, -1e3), np.minimum(space.high, 1e3)
        edges = [("low", low), ("middle", (low + high) / 2), ("high", high)]
        return [(label, value.astype(space.dtype)) for label, value in edges]
    space.seed(1)
    return [(f"sample {k}", space.sample()) for k in range(3)]


def automaton(env: Any) -> Act:
    """A hand-written cycle: each action for a few steps, then the next; reaches what noise does not."""
    actions = [action for _, action in _some_actions(env.action_space, 6)]
    return lambda _, step: actions[(step // 8) % len(actions)]


def cheat(table: Table, gamma: float) -> Callable[[int], int]:
    """Sees the hidden state of a probe world and does what is best there."""
    q = best_q(table, gamma)
    return lambda state: int(q[state][1] >= q[state][0])


def tabular_q(make: Make, steps: int = 4000, gamma: float = 0.99, seed: int = 0) -> Act:
    """Q learning over rounded observations, for discrete actions."""
    import numpy as np

    env, chance = make(), np.random.default_rng(APART + seed)
    table: dict[tuple[float, ...], Any] = {}
    count, start = int(env.action_space.n), int(env.action_space.start)

    def row(observation: Any) -> Any:
        key = tuple(np.round(flat(observation) * BINS / 2).tolist())
        return table.setdefault(key, np.zeros(count))

    observation, _ = env.reset(seed=seed)
    for step in range(steps):
        scores = row(observation)
        explore = chance.random() < max(0.1, 1.0 - 2.0 * step / steps)
        choice = int(chance.integers(count)) if explore else int(np.argmax(scores))
        after, reward, terminated, truncated, _ = env.step(choice + start)
        goal = float(reward) + (0.0 if terminated else gamma * float(row(after).max()))
        scores[choice] += 0.2 * (goal - scores[choice])
        observation = env.reset()[0] if terminated or truncated else after
    return lambda seen, _: int(np.argmax(row(seen))) + start


def cross_entropy(make: Make, steps: int = 6000, seed: int = 0) -> Act:
    """A linear policy by the cross-entropy method."""
    import numpy as np

    env, chance = make(), np.random.default_rng(APART + seed)
    width = len(flat(env.reset(seed=seed)[0])) + 1
    outputs = int(getattr(env.action_space, "n", 0)) or int(np.prod(env.action_space.shape))
    mean, spread = np.zeros((width, outputs)), np.ones((width, outputs))
    share = max(50, steps // (CANDIDATES * ROUNDS))
    for _ in range(ROUNDS):
        tries = [mean + spread * chance.normal(size=mean.shape) for _ in range(CANDIDATES)]
        scores = [_score(env, _linear(env.action_space, weights), share, seed) for weights in tries]
        best = np.stack([tries[k] for k in np.argsort(scores)[-ELITE:]])
        mean, spread = best.mean(0), best.std(0) + 0.05
    return _linear(env.action_space, mean)


def _score(env: Any, act: Act, steps: int, seed: int) -> float:
    totals = [episode.total for episode in play(env, act, steps, seed).episodes]
    return sum(totals) / max(len(totals), 1)


def _linear(space: Any, weights: Any) -> Act:
    import numpy as np

    def act(observation: Any, _: int) -> Any:
        out = np.append(flat(observation), 1.0) @ weights
        if hasattr(space, "n"):
            return int(np.argmax(out)) + int(space.start)
        return np.clip(np.tanh(out).reshape(space.shape), space.low, space.high).astype(space.dtype)

    return act


def summary(totals: Sequence[float]) -> dict[str, float]:
    """min, mean, max, sd."""
    if not totals:
        return {}
    mean = sum(totals) / len(totals)
    spread = (sum((x - mean) ** 2 for x in totals) / len(totals)) ** 0.5
    return {"min": min(totals), "mean": mean, "max": max(totals), "sd": spread}

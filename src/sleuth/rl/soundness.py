"""`sleuth rl check`: is the environment sane? Gathers plays and replays, and asks the causes about them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sleuth.errors import SleuthError
from sleuth.finding import Finding
from sleuth.judge.asking import findings_of
from sleuth.rl import agents
from sleuth.rl.played import Played, scales
from sleuth.rl.rollouts import Make, Play, made, play, same_trace, told, trace

__all__ = ["Soundness", "check", "made"]

REPLAYED = 25  # steps of a replay: enough for a second episode's memory to show
ROUNDS = 4
UNSEEDED = 12  # copies that must start alike: by a coin's throw they would once in four thousand times
UNKNOWN = (True, True, False, False, False, None)  # of replays that broke: accuses nobody
PATIENT = 40_000  # random steps before an environment is said never to end; a cliff walk takes some thousands


@dataclass(frozen=True)
class Soundness:
    """The result of a check."""

    name: str
    facts: Played
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": "sleuth.rl/1",
            "environment": self.name,
            "numbers": scales(self.facts),
            "agents": self.facts.agents,
            "findings": [entry.to_dict() for entry in self.findings],
        }


def check(name: str, make: Make, gamma: float = 0.99, steps: int = 3000, train: bool = False) -> Soundness:
    """Play, replay and judge one environment."""
    facts = gather(make, gamma, steps, train)
    return Soundness(name, facts, findings_of("check_env", facts))


def gather(make: Make, gamma: float, steps: int, train: bool) -> Played:
    env = make()
    random = play(env, agents.random_agent(env), steps)
    if random.strange and not random.episodes:
        raise SleuthError(f"The environment broke in its first episode: {random.strange}.")
    others = {
        label: play(env, act, max(200, steps // 5))
        for label, act in {**agents.constant_agents(env, 4), "automaton": agents.automaton(env)}.items()
    }
    if not any(episode.ended for entry in (random, *others.values()) for episode in entry.episodes):
        others["patient"] = play(env, agents.random_agent(env, 1), PATIENT, 1, PATIENT, 1)
    try:
        replays = _replayed(make)
    except Exception as error:  # the user's environment: what broke is a finding, the rest is still judged
        replays = UNKNOWN
        random = replace(random, strange=random.strange or told(error))
    summaries = {label: _summary(entry) for label, entry in {"random": random, **others}.items()}
    if train:
        summaries |= _trained(make, env)
    return Played(gamma, env.observation_space, random, others, *replays, agents=summaries)


def _replayed(make: Make) -> tuple[bool, bool, bool, bool, bool, bool | None]:
    """Fresh and used environments, the same and other seeds, the same and other actions."""
    fresh = used = True
    only_first, seeds, matter = False, False, False
    for seed in range(ROUNDS):
        actions = _actions(make(), seed)
        one, two = trace(make, seed, actions), trace(make, seed, actions)
        fresh = fresh and same_trace(one, two)
        again, leaks_reward = _after_use(make, seed, actions, one)
        used, only_first = used and again, only_first or leaks_reward
        seeds = seeds or not same_trace(one, trace(make, seed + 100, actions))
        others = [trace(make, seed, _actions(make(), seed + 1000 * k)) for k in (1, 2, 3)]
        matter = matter or any(not same_trace(one, other) for other in others)
    actions = _actions(make(), 0)
    first = trace(make, None, actions)
    unseeded = all(same_trace(first, trace(make, None, actions)) for _ in range(UNSEEDED))
    return fresh, used, only_first, seeds, unseeded, matter if fresh else None


def _after_use(make: Make, seed: int, actions: Sequence[Any], right: Any) -> tuple[bool, bool]:
    """Whether an environment that was played before repeats the trace; else, whether one reward differs."""
    env = make()
    trace(make, seed + 500, _actions(env, seed + 7), env)
    found = trace(make, seed, actions, env)
    if same_trace(right, found):
        return True, False
    patched = [
        (row[0], right[k][1] if k == 1 and k < len(right) else row[1], row[2]) for k, row in enumerate(found)
    ]
    return False, same_trace(right, patched)


def _actions(env: Any, seed: int) -> list[Any]:
    env.action_space.seed(agents.APART + seed)
    return [env.action_space.sample() for _ in range(REPLAYED)]


def _summary(entry: Play) -> dict[str, dict[str, float]]:
    return {
        "return": agents.summary([episode.total for episode in entry.episodes]),
        "length": agents.summary([float(episode.length) for episode in entry.episodes]),
    }


def _trained(make: Make, env: Any) -> dict[str, dict[str, dict[str, float]]]:
    """Baselines that learn: does anything do better than chance?"""
    found = {"cross-entropy": _summary(play(env, agents.cross_entropy(make), 1000))}
    if hasattr(env.action_space, "n"):
        found["tabular Q"] = _summary(play(env, agents.tabular_q(make), 1000))
    return found

"""What `sleuth rl` finds, what it leaves alone, and how fast: beside Gymnasium's and SB3's own checkers."""

import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench import rl_peer
from bench.rl_agents import EXPECTED, OFF_POLICY, ON_POLICY, actor_critic, q_learner
from sleuth.rl.probing import Ladder, Request, probe_learn, probe_sb3

STEPS = 40_000
SEEDS = 5
LADDERS = int(os.environ.get("SLEUTH_LADDERS", "5"))  # of each library agent; a nightly run takes 30
SOFT: dict[str, Any] = {
    "learning_rate": 3e-3,
    "learning_starts": 100,
    "batch_size": 64,
    "tau": 0.05,
    "policy_kwargs": {"net_arch": [64, 64]},
}
QUICK: dict[str, dict[str, Any]] = {
    "PPO": {"n_steps": 32, "batch_size": 64, "learning_rate": 3e-3},
    "A2C": {"n_steps": 8, "learning_rate": 3e-3},
    "DQN": {
        "learning_rate": 3e-3,
        "buffer_size": 5000,
        "learning_starts": 100,
        "train_freq": 1,
        "target_update_interval": 50,
        "batch_size": 64,
        "exploration_final_eps": 0.1,
    },
    "SAC": SOFT | {"ent_coef": "auto_0.1"},
    "TD3": SOFT,
}


@dataclass(frozen=True)
class Caught:
    """Injected mistakes: how many were seen, how many got the right name first, CPU seconds for all."""

    mistakes: int
    seen: int
    named: int
    seconds: float


def rows() -> Iterator[tuple[str, str, str]]:
    for world in ("boundary", "long-chain"):
        ours, ratio = speed(world)
        yield "rl worlds", f"{world}: steps a second, ratio to CartPole", f"{ours:,.0f}, {ratio:.1f}×"
    for label, bugs, make in (("on-policy", ON_POLICY, actor_critic), ("off-policy", OFF_POLICY, q_learner)):
        found = injected(bugs, make)
        yield "rl probe", f"{label}: injected mistakes seen", f"{found.seen} of {found.mistakes}"
        yield "rl probe", f"{label}: right cause first", f"{found.named} of {found.mistakes}"
    yield "rl probe", "probing-environments on the on-policy mistakes", rl_peer.compared()
    alarms, ladders = false_alarms()
    yield "rl probe", "false alarms on right agents (own actor-critic and Q)", f"{alarms} of {ladders}"
    for label, count in environments().items():
        yield "rl check", f"broken environments found by {label}", f"{count} of 18"
    yield "rl check", "false alarms on legal and classic environments", _quiet_environments()
    for name in QUICK:
        alarms, seconds = library(name, LADDERS)
        yield "rl probe", f"SB3 {name}, quick settings: false alarms in ladders", f"{alarms} of {LADDERS}"
        yield "rl probe", f"SB3 {name}: CPU seconds a ladder, mean", f"{seconds:.1f}"


def speed(world: str) -> tuple[float, float]:
    """Steps a second of a probe world, and against CartPole's in the same process."""
    import gymnasium

    from sleuth.rl.tables import ladder
    from sleuth.rl.worlds import Witness, coding, make_world

    table = ladder()[world]
    ours = steps_a_second(make_world(table, coding(table), Witness()))
    peer_env = gymnasium.make("CartPole-v1", disable_env_checker=True).unwrapped
    return ours, ours / steps_a_second(peer_env)


def steps_a_second(env: Any) -> float:
    env.reset(seed=0)
    started = time.process_time()
    for step in range(STEPS):
        _, _, terminated, truncated, _ = env.step(step % 2)
        if terminated or truncated:
            env.reset()
    return STEPS / (time.process_time() - started)


def injected(bugs: tuple[str, ...], make: Callable[[str], Any]) -> Caught:
    """Each mistake in an agent of our own; the answer must be one of the causes whose page describes it."""
    seen = named = 0
    started = time.process_time()
    for bug in bugs:
        found = probe_learn(make(bug), Request()).findings
        seen += bool(found)
        named += bool(found) and found[0].cause in EXPECTED[bug]
    return Caught(len(bugs), seen, named, time.process_time() - started)


def false_alarms(count: int = SEEDS) -> tuple[int, int]:
    results = [
        probe_learn(make(), Request(seed=seed)) for make in (actor_critic, q_learner) for seed in range(count)
    ]
    return sum(map(_alarmed, results)), len(results)


def library(name: str, count: int, first: int = 0) -> tuple[int, float]:
    """False alarms of a right library agent, and CPU seconds a ladder, without what torch loads once."""
    import torch

    torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))])
    started = time.process_time()
    seeds = range(first, first + count)
    results = [probe_sb3(name, Request(seed=seed, kwargs=QUICK[name])) for seed in seeds]
    return sum(map(_alarmed, results)), (time.process_time() - started) / count


def _alarmed(result: Ladder) -> bool:
    return bool(result.findings)


def environments() -> dict[str, int]:
    """The broken environments that each checker flags: ours, Gymnasium's, Stable-Baselines3's."""
    from gymnasium.utils.env_checker import check_env as gymnasium_check
    from stable_baselines3.common.env_checker import check_env as sb3_check

    from sleuth.rl.soundness import check
    from tests.rl.broken_envs import FAULTS, Walk

    found = {"Sleuth": 0, "Gymnasium's checker": 0, "SB3's checker": 0}
    for fault, slug in FAULTS.items():

        def make(fault: str = fault) -> Any:
            return Walk(fault)

        found["Sleuth"] += slug in [entry.cause for entry in check(fault, make, steps=1500).findings]
        found["Gymnasium's checker"] += _complains(lambda: gymnasium_check(make(), skip_render_check=True))
        found["SB3's checker"] += _complains(lambda: sb3_check(make()))
    return found


def _complains(run: Callable[[], None]) -> bool:
    """An error, or a warning about something else than the style of a space."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            run()
        except Exception:
            return True
    return any("nan" in str(entry.message).lower() or "dtype" in str(entry.message).lower() for entry in told)


def _quiet_environments() -> str:
    from sleuth.rl.rollouts import made
    from sleuth.rl.soundness import check
    from tests.rl.broken_envs import CLASSIC, LEGAL

    makes = LEGAL | {name: made(name) for name in CLASSIC}
    loud = sum(bool(check(name, make, steps=1500).findings) for name, make in makes.items())
    return f"{loud} of {len(makes)}"

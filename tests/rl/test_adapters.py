"""Scripts and Stable-Baselines3 in the probe worlds; one short climb each."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sleuth.rl.guest import Scout, _heads, reading_from
from sleuth.rl.probing import Request, probe_sb3
from sleuth.rl.script import env_id, filled, probe_script
from sleuth.rl.tables import ladder

PPO = Path(__file__).parent / "scripts" / "ppo_script.py"
WORDS = ("--env-id", "{env}", "--seed", "{seed}", "--gamma", "{gamma}")


@pytest.mark.slow
def test_an_unmodified_script_passes_and_its_flipped_twin_is_named() -> None:
    right = probe_script(str(PPO), WORDS, Request(only=("action",)))
    assert [rung.result for rung in right.rungs] == ["passed"]
    wrong = probe_script(str(PPO), (*WORDS, "--flip"), Request(only=("constant", "action"), steps=3000))
    assert [entry.cause for entry in wrong.findings] == ["policy-update-broken"]


NUMPY_SCRIPT = """
import sys
import gymnasium as gym
env = gym.make("CartPole-v1")
score = {}
obs, _ = env.reset(seed=0)
for step in range(3000):
    key = tuple(obs)
    row = score.setdefault(key, [0.0, 0.0])
    action = step % 2 if step % 10 == 0 or row[0] == row[1] else int(row[1] > row[0])
    obs, reward, terminated, truncated, _ = env.step(action)
    row[action] += 0.2 * (reward - row[action])
    if terminated or truncated:
        obs, _ = env.reset()
"""


def test_a_script_that_knows_only_its_own_task_gets_the_probe_instead(tmp_path: Path) -> None:
    (tmp_path / "bandit.py").write_text(NUMPY_SCRIPT)
    result = probe_script(str(tmp_path / "bandit.py"), (), Request(only=("action",)))
    assert [rung.result for rung in result.rungs] == ["passed"]
    assert "replaced by the probe" in result.remarks[0]


CONTINUOUS_SCRIPT = """
import sys
import gymnasium as gym
import numpy as np
env = gym.make(sys.argv[1])
assert isinstance(env.action_space, gym.spaces.Box), "continuous actions only"
low, high = env.action_space.low[0], env.action_space.high[0]
best = {}
chance = np.random.default_rng(0)
obs, _ = env.reset(seed=0)
for step in range(3000):
    key = obs.tobytes()
    action = best[key][1] if key in best and step > 100 else chance.uniform(low, high)
    obs, reward, terminated, truncated, _ = env.step(np.array([action], np.float32))
    best[key] = max(best.get(key, (-9.0, 0.0)), (reward, action))
    if terminated or truncated:
        obs, _ = env.reset()
"""


def test_a_script_that_refuses_two_actions_gets_a_range_of_them(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(CONTINUOUS_SCRIPT)
    result = probe_script(str(tmp_path / "box.py"), ("{env}",), Request(only=("action", "target-action")))
    assert [rung.result for rung in result.rungs] == ["passed", "passed"]


def test_words_of_the_command_line_are_filled() -> None:
    table = ladder()["boundary"]
    assert filled(WORDS, table, 7, 0.9) == ("--env-id", env_id(table), "--seed", "7", "--gamma", "0.9")


def test_networks_are_found_by_what_goes_in_and_comes_out() -> None:
    torch = pytest.importorskip("torch")
    scout = Scout(4, 2)
    critic = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1))
    actor = torch.nn.Linear(4, 2)
    given = torch.zeros(3, 4)
    for module in (critic, actor, critic[0]):
        scout.hook(module, (given,), module(given))
    agent = scout.agent()
    assert set(agent) == {"value", "policy"}
    assert float(agent["value"](np.zeros(4))) == pytest.approx(critic(torch.zeros(4)).item())
    assert _heads((torch.zeros(3, 2), torch.zeros(3, 1)), 2) == ((0, "scores"), (1, "value"))


def test_what_a_guest_writes_can_be_read_back() -> None:
    entry: dict[str, Any] = {
        "values": [1.0],
        "q": [[0.0, 1.0]],
        "policy": None,
        "acted": [0.5],
        "troubles": [],
    }
    reading = reading_from(entry)
    assert (reading.values, reading.q, reading.acted) == ((1.0,), ((0.0, 1.0),), (0.5,))


@pytest.mark.slow
def test_stable_baselines_is_read_while_it_learns() -> None:
    pytest.importorskip("stable_baselines3")
    settings = {"n_steps": 8, "learning_rate": 0.003}
    result = probe_sb3("A2C", Request(only=("constant", "action"), kwargs=settings))
    assert [rung.result for rung in result.rungs] == ["passed", "passed"]


def test_the_callback_judges_at_the_end() -> None:
    sb3 = pytest.importorskip("stable_baselines3")
    from sleuth.rl.callback import sb3_callback

    watch = sb3_callback()
    sb3.PPO("MlpPolicy", "CartPole-v1", n_steps=32, batch_size=32, n_epochs=1, device="cpu").learn(128, watch)
    assert watch.findings == []
    assert "advantages/mean" in watch.table

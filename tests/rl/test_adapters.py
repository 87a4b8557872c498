"""Scripts and Stable-Baselines3 in the probe worlds; one short climb each."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sleuth.errors import SleuthError
from sleuth.rl.guest import packed, reading_from, unpacked
from sleuth.rl.judge import Error
from sleuth.rl.ladder import Check, Rung
from sleuth.rl.learner import Form
from sleuth.rl.probing import Request, probe_sb3
from sleuth.rl.reading import Reading
from sleuth.rl.scout import Scout, _heads, scout_for
from sleuth.rl.script import env_id, filled, patience, probe_script
from sleuth.rl.tables import ladder

SCRIPTS = Path(__file__).parent / "scripts"
PPO = SCRIPTS / "ppo_script.py"
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


def test_a_script_that_has_failed_once_is_given_less_time() -> None:
    """Enough for what passed before, and for a verdict at all."""
    table = ladder()["constant"]
    passed, slow = (
        Rung(table, 0.99, "passed", (Check(steps, Reading(), Error(0.0)),)) for steps in (400, 3000)
    )
    failed = Rung(table, 0.99, "failed", (Check(20_000, Reading(), Error(9.0)),))
    assert patience([passed, slow], 20_000) == 20_000
    assert patience([passed, failed], 20_000) == 5000
    assert patience([passed, slow, failed], 20_000) == 12_000
    assert patience([failed], 1000) == 1000


def test_a_second_seed_waits_twice_as_long_as_the_first_one_moved() -> None:
    course = [(steps, Reading((worth,))) for steps, worth in ((300, 0.1), (3000, 0.5), (9000, 0.52))]
    assert patience([], 20_000, course) == 6000
    assert patience([], 20_000, [*course, (20_000, Reading((0.9,)))]) == 20_000
    assert patience([], 20_000, course[:1]) == 4000


def test_networks_are_found_by_what_goes_in_and_comes_out() -> None:
    torch = pytest.importorskip("torch")
    scout = Scout((4,), 2)
    critic = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 1))
    actor = torch.nn.Linear(4, 2)
    given = torch.zeros(3, 4)
    for module in (critic, actor, critic[0]):
        scout.hook(module, (given,), module(given))
    agent = scout.agent()
    assert set(agent) == {"value", "policy"}
    assert float(agent["value"](np.zeros(4))) == pytest.approx(critic(torch.zeros(4)).item())
    assert _heads((torch.zeros(3, 2), torch.zeros(3, 1)), 2, 2) == ((0, "scores"), (1, "value"))
    assert _heads(torch.zeros(2), 2, 2) == ((0, "value"),)  # two rows of a critic that squeezes


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("import torch\naction = q.argmax(1)", "q"),
        ("import torch\naction = Categorical(logits=net(obs)).sample()\nbest = logits.argmax(1)", "policy"),
        ("import torch\nfrom agents import act", "policy"),
    ],
)
def test_scores_that_are_never_drawn_from_are_action_values(text: str, role: str) -> None:
    torch = pytest.importorskip("torch")
    scout = scout_for(text, Form().coding(ladder()["action"]))
    assert scout is not None
    network = torch.nn.Linear(*scout.shape, scout.actions)
    given = torch.zeros(3, *scout.shape)
    scout.hook(network, (given,), network(given))
    assert set(scout.agent()) == {role}


def test_actions_and_log_probabilities_are_no_values() -> None:
    """A policy of Stable-Baselines3 answers with all three, one number an observation each."""
    torch = pytest.importorskip("torch")
    for copies in (1, 2):
        actions, logs = torch.zeros(copies, dtype=torch.int64), torch.zeros(copies)
        assert _heads((actions, torch.zeros(copies, 1), logs), 2, 2) == ((1, "value"),)


def continuous_scout() -> Scout:
    scout = scout_for("import torch", Form(continuous=True).coding(ladder()["boundary"]))
    assert scout is not None
    return scout


@pytest.mark.parametrize("joined", [False, True])
def test_a_critic_of_actions_is_asked_for_the_action_that_is_taken(joined: bool) -> None:
    """The actor of a SAC answers with a mean and a spread, each as wide as a value: it is not asked."""
    torch = pytest.importorskip("torch")

    class Critic(torch.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, seen: Any, action: Any = None) -> Any:
            row = seen if action is None else torch.cat([seen, action], 1)
            return 10.0 * row[:, 2] + row[:, -1]

    class Actor(torch.nn.Linear):  # type: ignore[misc, name-defined]
        def forward(self, seen: Any) -> Any:
            return super().forward(seen), torch.zeros(len(seen), 1)

    scout, seen, action = continuous_scout(), torch.zeros(3, 4), torch.zeros(3, 1)
    actor, critic = Actor(4, 1), Critic()
    scout.hook(actor, (seen,), actor(seen))
    given = (torch.cat([seen, action], 1),) if joined else (seen, action)
    scout.hook(critic, given, critic(*given))
    agent = scout.agent(lambda shown: 0.5 * float(shown[2]))
    assert set(agent) == {"value"}
    assert float(agent["value"](np.array([0.0, 0.0, 1.0, 0.0]))) == pytest.approx(10.5)


def test_a_mean_and_its_spread_are_no_values_whatever_the_network_is_called() -> None:
    torch = pytest.importorskip("torch")

    class ActorCritic(torch.nn.Linear):  # type: ignore[misc, name-defined]
        def forward(self, seen: Any) -> Any:
            return super().forward(seen), torch.zeros(len(seen), 1)

    scout, both, seen = continuous_scout(), ActorCritic(4, 1), torch.zeros(3, 4)
    scout.hook(both, (seen,), both(seen))
    assert not scout.agent()


def test_of_two_that_look_alike_only_a_name_makes_one_a_value() -> None:
    torch = pytest.importorskip("torch")

    class Both(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.mean, self.critic = torch.nn.Linear(4, 1), torch.nn.Linear(4, 1)

    scout, both, seen = continuous_scout(), Both(), torch.zeros(3, 4)
    for part in (both.mean, both.critic):
        scout.hook(part, (seen,), part(seen))
    assert not scout.agent()
    scout.made.append(both)
    assert float(scout.agent()["value"](np.zeros(4))) == pytest.approx(both.critic(seen[0]).item())


def test_the_agent_is_asked_itself_where_it_scales_what_it_sees() -> None:
    torch = pytest.importorskip("torch")

    class Agent(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.net = torch.nn.Linear(2, 1)

        def get_value(self, x: Any) -> Any:
            return self.net(x / 255.0)

    agent, scout = Agent(), Scout((2,), 2)
    scout.made.append(agent)
    shown = torch.full((1, 2), 255.0)
    scout.hook(agent.net, (shown / 255.0,), agent.net(shown / 255.0))
    assert float(scout.agent()["value"](np.full(2, 255.0))) == pytest.approx(agent.get_value(shown).item())


def test_spaces_travel_to_another_process() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("CartPole-v1")
    for form in (Form(), Form("image", True)):
        assert unpacked(packed(form)) == form
    kept = unpacked(packed(Form(like=env))).like
    assert (kept.observation_space, kept.action_space) == (env.observation_space, env.action_space)


def test_what_a_guest_writes_can_be_read_back() -> None:
    for reading in (
        Reading((1.0,), ((0.0, 1.0),), None, (0.5,), ("no policy",)),
        Reading(None, None, (1.0, None), (None, None), ranged=True),
    ):
        assert reading_from(json.loads(json.dumps(asdict(reading)))) == reading


IMAGES = """
import sys
import gymnasium as gym
env = gym.make(sys.argv[1])
assert len(env.observation_space.shape) == 3, "pictures only"
score = {}
obs, _ = env.reset(seed=0)
for step in range(3000):
    row = score.setdefault(obs.tobytes(), [0.0, 0.0])
    action = step % 2 if step % 10 == 0 or row[0] == row[1] else int(row[1] > row[0])
    obs, reward, terminated, truncated, _ = env.step(action)
    row[action] += 0.2 * (reward - row[action])
    if terminated or truncated:
        obs, _ = env.reset()
"""


def test_a_script_for_pictures_gets_pictures(tmp_path: Path) -> None:
    (tmp_path / "pixels.py").write_text(IMAGES)
    result = probe_script(str(tmp_path / "pixels.py"), ("{env}",), Request(only=("action", "image")))
    assert [rung.result for rung in result.rungs] == ["passed", "passed"]
    assert "with image observations" in result.remarks[0]


def test_a_script_keeps_the_spaces_it_is_told_to(tmp_path: Path) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    text = IMAGES.replace("len(env.observation_space.shape) == 3", "env.observation_space.shape == (4,)")
    (tmp_path / "cart.py").write_text(text)
    request = Request(only=("action",), like=gymnasium.make("CartPole-v1"))
    assert [rung.result for rung in probe_script(str(tmp_path / "cart.py"), ("{env}",), request).rungs] == [
        "passed"
    ]


def test_a_script_that_breaks_before_any_world_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("import no_such_gym\n")
    with pytest.raises(SleuthError, match=r"^old.py: the script raised ModuleNotFoundError"):
        probe_script(str(tmp_path / "old.py"), ("{env}",), Request())


VECTOR = """
import sys
import gymnasium as gym
import numpy as np
mode = getattr(gym.vector.AutoresetMode, sys.argv[2])
makes = [lambda: gym.make(sys.argv[1])] * 2
envs = gym.vector.AsyncVectorEnv(makes, autoreset_mode=mode, shared_memory=False)
score = {}
obs, _ = envs.reset(seed=0)
for step in range(1500):
    keys = [row.tobytes() for row in obs]
    rows = [score.setdefault(key, [0.0, 0.0]) for key in keys]
    actions = [step % 2 if step % 10 == 0 or a == b else int(b > a) for a, b in rows]
    obs, rewards, terminated, truncated, infos = envs.step(np.array(actions))
    for row, action, reward in zip(rows, actions, rewards):
        row[action] += 0.2 * (reward - row[action])
    ended = terminated | truncated
    if mode.name == "DISABLED" and ended.any():
        obs, _ = envs.reset(options={"reset_mask": ended})
"""


@pytest.mark.parametrize("mode", ["NEXT_STEP", "SAME_STEP", "DISABLED"])
def test_the_reset_rule_is_said_and_copies_in_other_processes_are_gathered(tmp_path: Path, mode: str) -> None:
    (tmp_path / "vector.py").write_text(VECTOR)
    result = probe_script(str(tmp_path / "vector.py"), ("{env}", mode), Request(only=("action",)))
    assert "AsyncVectorEnv was replaced" in result.remarks[0]
    assert f"({mode})" in result.remarks[1]
    assert [rung.result for rung in result.rungs] == ["passed"]


LATE = """
import sys
import gymnasium as gym
import torch
env = gym.make(sys.argv[1])
net = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
obs, _ = env.reset(seed=0)
for step in range(6000):
    obs_now = obs
    obs, reward, terminated, truncated, _ = env.step(step % 2)
    if step >= 3000:
        loss = (net(torch.tensor(obs_now)[None]) - reward).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if terminated or truncated:
        obs, _ = env.reset()
"""


@pytest.mark.slow
def test_nothing_is_judged_before_the_first_update(tmp_path: Path) -> None:
    """A replay buffer is filled for thousands of steps, in which the networks are not even called."""
    (tmp_path / "late.py").write_text(LATE)
    (rung,) = probe_script(str(tmp_path / "late.py"), ("{env}",), Request(only=("observation",))).rungs
    assert rung.result == "passed"
    assert rung.checks[0].steps >= 3000


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "quick"),
    [
        ("cleanrl_ppo.py", ()),
        ("cleanrl_dqn.py", ("--learning-starts", "500", "--train-frequency", "1")),
    ],
)
def test_flat_scripts_in_the_usual_style_raise_no_false_alarm(script: str, quick: tuple[str, ...]) -> None:
    words = (*WORDS, "--learning-rate", "3e-3", *quick)
    result = probe_script(str(SCRIPTS / script), words, Request(only=("boundary", "alignment", "delayed")))
    assert [rung.result for rung in result.rungs] == ["passed"] * 3
    assert result.findings == ()
    assert "NEXT_STEP" in result.remarks[-1] or "SAME_STEP" in result.remarks[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "right", "wrong", "cause"),
    [
        ("cleanrl_ppo.py", "reshape(-1) == 0", "reshape(-1) >= 0", "episode-not-reset"),
        ("cleanrl_dqn.py", "rewards[0], terminations[0]", "rewards[0], 1.0", "discount-broken"),
    ],
)
def test_their_broken_twins_are_named(
    tmp_path: Path, script: str, right: str, wrong: str, cause: str
) -> None:
    text = (SCRIPTS / script).read_text()
    assert right in text
    (tmp_path / script).write_text(text.replace(right, wrong))
    quick: tuple[str, ...] = ("--learning-rate", "3e-3")
    quick += ("--learning-starts", "500", "--train-frequency", "1") if "dqn" in script else ()
    request = Request(only=("observation", "discount", "boundary", "alignment"), steps=6000)
    result = probe_script(str(tmp_path / script), (*WORDS, *quick), request)
    assert result.findings[0].cause == cause


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

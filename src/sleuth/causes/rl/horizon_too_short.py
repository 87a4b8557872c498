"""The discount forgets the reward before it arrives: 1/(1-gamma) is far below the delay.

## What happens
Gamma is a half-life. At 0.99 a reward loses half its worth every 69 steps; 500 steps away 0.7% of
it is left, and the critic's error is larger than that. The agent is not stupid: under this
objective the far reward *is* worthless. At 0.999 the same reward keeps 61%.

It is born of changes that nobody connects with gamma: a simulator step made four times finer,
frame skip switched off (four times as many decisions), longer levels, a sparse reward at the end
where there was a dense one, gamma 0.9 copied from a grid world. Eligibility matters as well: with
GAE the credit for actions is cut at about 1/(1 - gamma * lambda) steps, 17 at 0.99 and 0.95;
beyond that the critic has to carry it.

Longer is not better. Variance grows with the horizon, and returns become larger by 1/(1-gamma),
so the critic must change scale. With dense, well-shaped rewards a short horizon learns faster.

## How to tell
- **lint**: a literal gamma and a literal number of steps to the only reward (an environment of
  your own that pays when its counter ends, a vector of zeros with a last entry): gamma to that
  power is below 0.05. For well-known tasks with a far goal (MountainCar, mazes with keys), also as
  an argument of a library's agent: gamma to the fewest steps is below a millionth.
- **probe**: roll out a random or scripted policy, measure the steps between decision and reward,
  and compute gamma to that power: below 0.05 the signal is gone.
- **refuted by**: the typical delay of rewards is under 1/(1-gamma).

## How to fix
Think in seconds: choose the horizon, divide by the step, set gamma.
```python
horizon = seconds_that_matter / seconds_per_step
gamma = 1 - 1 / horizon
```
Or shorten the delay: frame skip, potential-based shaping, intermediate goals. If you change the
step length by k, take gamma to the power 1/k. Rescale rewards afterwards, since returns have
grown. For short delayed episodes gamma = 1 is legitimate.

## Often mistaken for
- `discount-broken`: reward does not travel at all, not even one step, at any gamma.
- `truncation-as-termination`: a time limit cuts off the future in the target.
- `reward-constant`: the reward was never seen, so no discount could carry it.

## Sources
- schulman-2016: slide "Generally Important Parameters": the effective horizon and its meaning for
  delayed rewards.
- andrychowicz-2021: the section on timestep handling: the discount factor as one of the choices
  that matter most, to be tuned per environment.
"""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Evidence
from sleuth.source.flow import literal, number, possible, root
from sleuth.source.interpreter.values import Call, Collection, Constant, Function, Value
from sleuth.source.program import Program, clue
from sleuth.source.topics.episodes import Bootstrap, EnvStep, Episodes, own_step, read_episodes

if TYPE_CHECKING:
    from sleuth.rl.played import Played

# Below this share of the reward the signal is smaller than any critic's error.
FORGOTTEN = 0.05
# Below this share single precision cannot keep the goal apart from the rounding of other rewards.
VANISHED = 1e-6
# Tasks of the common collections that tell nothing before a goal, and the fewest steps that lead there.
FAR_GOALS = {
    r"^MountainCar-": 80,
    r"^MountainCarContinuous-": 60,
    r"^Acrobot-": 60,
    r"^MiniGrid-(KeyCorridorS[56]|ObstructedMaze-(2|Full|1Q)|MultiRoom-N6|LockedRoom|DoorKey-16x16)": 30,
    r"^(ALE/)?(MontezumaRevenge|Pitfall|PrivateEye|Venture)": 60,
    r"^AntMaze_(Medium|Large)|^antmaze-(medium|large)": 150,
}
_MAKES_VECTOR = (
    "gymnasium.make_vec",
    "gymnasium.vector.make",
    "gym.vector.make",
    "stable_baselines3.common.env_util.make_vec_env",
    "stable_baselines3.common.env_util.make_atari_env",
)
_AGENTS = ("stable_baselines3.", "sb3_contrib.", "sbx.", "tianshou.")
_SUMMED = ("torch.zeros", "numpy.zeros")

NEEDS = "gamma discount GAMMA Gamma"


def lint(program: Program) -> Iterator[Evidence]:
    if not re.search("rew|gamma|discount", program.source.text, re.IGNORECASE):
        return
    episodes = read_episodes(program)
    yield from _of_a_known_task(program, episodes)
    for target in episodes.bootstraps:
        gamma, written = number(target.discount), root(target.discount)
        if gamma is None or written is None:
            continue
        delay = max(_delays(program, episodes, target), default=0.0)
        if delay and gamma**delay < FORGOTTEN:
            yield clue(
                "likely",
                written,
                f"With a discount of {gamma:g} a reward {delay:.0f} steps away counts {gamma**delay:.1g} of "
                "its worth, and the only reward comes at the end: for the agent it does not exist.",
                fix=f"Choose gamma so that 1 / (1 - gamma) is about the delay, here {1 - 1 / delay:.4g}.",
            )


def _of_a_known_task(program: Program, episodes: Episodes) -> Iterator[Evidence]:
    """A discount so small that the goal of a well-known task vanishes from every value."""
    agents = [call for call in program.trace if "gamma" in call.keywords and call.op.startswith(_AGENTS)]
    tasks = list(_tasks(program))
    tasks += [task for call in agents if isinstance(task := literal(call.argument(1, "env")), str)]
    delays = [delay for task in tasks for name, delay in FAR_GOALS.items() if re.search(name, task)]
    if not tasks or len(delays) != len(tasks):
        return
    discounts = [
        target.discount
        for target in episodes.bootstraps
        if episodes.is_reward(target.immediate) == "reward" and not _weighs_a_loss(program, target)
    ]
    discounts += [call.keywords["gamma"] for call in agents]
    seen: set[int] = set()
    for discount in discounts:
        gamma, written, delay = number(discount), root(discount), min(delays)
        if gamma is None or written is None or id(written.node) in seen or gamma**delay >= VANISHED:
            continue
        seen.add(id(written.node))
        yield clue(
            "likely",
            written,
            f"A discount of {gamma:g} looks about {1 / (1 - gamma):.0f} steps ahead, and the goal of "
            f"`{tasks[0]}` is at least {delay} away: it counts {gamma**delay:.0g} of its worth, less than a "
            "32-bit value can tell from nothing.",
            fix="Choose gamma so that 1 / (1 - gamma) is about the number of steps to the goal: "
            f"{1 - 1 / delay:.3g} or more.",
        )


def _weighs_a_loss(program: Program, target: Bootstrap) -> bool:
    """`policy_loss + 0.5 * value_loss`: a sum that is differentiated itself is a loss, not a target."""
    return any(target.call in possible(backward.about) for backward in program.training.of("backward"))


def _tasks(program: Program) -> Iterator[str]:
    """The names of all tasks that are made; empty for one that is not written in the source."""
    for call in program.calls("gymnasium.make", "gym.make", *_MAKES_VECTOR):
        given = root(call.args[0] if call.args else call.keywords.get("id", call.keywords.get("env_id")))
        if not isinstance(given, Function | Collection):  # functions that make it: they are seen themselves
            name = literal(given)
            yield name if isinstance(name, str) else ""


def _delays(program: Program, episodes: Episodes, target: Bootstrap) -> Iterator[float]:
    """The steps between a decision and the only reward, where both are written in the source."""
    if episodes.is_reward(target.immediate) == "reward":
        for step in episodes.steps:
            yield from _only_at_the_end(step)
    for call in program.calls("[]="):
        made = root(call.receiver)
        if isinstance(made, Call) and made.op in _SUMMED and made.args and literal(call.args[0]) == -1:
            length = number(made.args[0])
            others = [other for other in program.calls("[]=") if root(other.receiver) is made]
            if length and len(others) == 1 and episodes.feeds(made, target.immediate):
                yield length


def _only_at_the_end(step: EnvStep) -> Iterator[float]:
    """A project environment that pays nothing until a counter reaches a literal."""
    definition = own_step(step.environment)
    if definition is None:
        return
    rewards = [option for value in step.fields["reward"] for option in possible(value)]
    paid = {option.value for option in rewards if isinstance(option, Constant)}
    if len(paid) < 2 or 0 not in paid or len(paid) < len({id(option) for option in rewards}):
        return
    flags = (
        *step.fields.get("terminated", ()),
        *step.fields.get("done", ()),
        *step.fields.get("truncated", ()),
    )
    for flag in (option for value in flags for option in possible(value)):
        limit = _limit(flag, definition)
        if limit is not None and _pays_when(definition, flag):
            yield limit


def _limit(flag: Value, definition: ast.FunctionDef) -> float | None:
    """N of `self.t >= N`, where the counter grows by one a step."""
    if (
        not isinstance(flag, Call)
        or flag.op not in (">=", "==", ">")
        or not isinstance(flag.node, ast.Compare)
    ):
        return None
    counter = ast.unparse(flag.node.left)
    counts = any(
        isinstance(node, ast.AugAssign)
        and ast.unparse(node.target) == counter
        and isinstance(node.op, ast.Add)
        and isinstance(node.value, ast.Constant)
        and node.value.value == 1
        for node in ast.walk(definition)
    )
    return number(flag.args[-1]) if counts else None


def _pays_when(definition: ast.FunctionDef, flag: Call | Value) -> bool:
    """Whether the branch that pays asks just this condition."""
    assert isinstance(flag.node, ast.expr)
    asked = {ast.unparse(flag.node)}
    for node in ast.walk(definition):
        if isinstance(node, ast.Assign) and node.value is flag.node:
            asked |= {ast.unparse(part) for part in node.targets}
    return any(
        ast.unparse(part) in asked
        for node in ast.walk(definition)
        if isinstance(node, ast.If | ast.IfExp)
        for part in ([*node.test.values] if isinstance(node.test, ast.BoolOp) else [node.test])
    )


RARE = 0.05  # share of the steps that pay anything: a sparse reward


def check_env(played: "Played") -> Iterator[Evidence]:
    """How long the first reward takes where most steps pay nothing."""
    delays = []
    for episode in played.random.episodes:
        paid = [place for place, step in enumerate(episode.steps, 1) if float(step.reward) != 0.0]
        if paid and len(paid) <= RARE * max(episode.length, 20):
            delays.append(paid[0])
    if len(delays) < 3:
        return
    typical = sorted(delays)[len(delays) // 2]
    if played.gamma**typical < FORGOTTEN:
        yield Evidence(
            f"A typical reward comes {typical} steps after the start; at gamma {played.gamma:g} "
            f"{played.gamma**typical:.1%} of it is left by then (horizon {1 / (1 - played.gamma):.0f} "
            "steps).",
            "likely",
            numbers={"delay": typical},
            fix="Choose gamma near 1 - 1/delay, or shorten the delay.",
        )

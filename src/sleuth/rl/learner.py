"""A user's `learn(make_env, steps, seed, gamma)` as something the ladder can ask."""

import inspect
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sleuth.errors import SleuthError
from sleuth.rl.ladder import Pace, Session, Trouble, Unsuited
from sleuth.rl.reading import MEMBERS, Reading, member, read
from sleuth.rl.tables import Table
from sleuth.rl.worlds import Coding, EnoughSteps, Witness, coding, make_world

Learn = Callable[..., Any]

FIRST, GROWTH, LAST = 1000, 4.0, 16_000  # a default PPO needs 9000 steps for two actions, a quick one 500
OVERRUN = 4  # times the steps asked for, before a training that does not stop is stopped
ROLLOUT = 8192  # larger rollouts than this are rare: an agent may finish the one it began


@dataclass(frozen=True)
class Form:
    """The spaces in which an agent is probed."""

    spaces: str = "vector"
    continuous: bool = False
    like: Any = None

    def coding(self, table: Table) -> Coding:
        return coding(table, self.spaces, self.continuous, self.like)


# What to try when an agent refuses the spaces of the first probe.
FORMS = (Form(), Form("discrete"), Form(continuous=True))


@dataclass
class LearnSession:
    """Trains anew for every check: `learn` returns its agent only at the end."""

    learn: Learn
    table: Table
    form: Form
    seed: int
    gamma: float
    facts: dict[str, float] = field(default_factory=dict)

    def until(self, steps: int) -> Reading | None:
        code = self.form.coding(self.table)
        witness = Witness(limit=OVERRUN * steps + ROLLOUT)
        agent = trained(
            self.learn, lambda: make_world(self.table, code, witness), steps, self.seed, self.gamma
        )
        _note(self.facts, witness)
        if agent is None:
            raise Trouble("learn returned None; it should return an agent with value, q or policy.")
        if not any(member(agent, name) for name in MEMBERS) and not witness.moves:
            raise Trouble(f"The agent ({type(agent).__name__}) has none of {', '.join(MEMBERS)}.")
        if witness.copies == 0:
            raise Trouble("learn never made an environment.")
        if witness.steps == 0:
            raise Trouble("learn never stepped the environment.")
        return read(agent, self.table, code, witness)


def _note(facts: dict[str, float], witness: Witness) -> None:
    for name in ("steps", "after_end", "after_limit", "before_reset", "outside", "copies"):
        facts[name] = facts.get(name, 0) + getattr(witness, name)


def trained(learn: Learn, make: Callable[[], Any], steps: int, seed: int, gamma: float) -> Any:
    """One call of `learn`; whatever it raises becomes one sentence."""

    def make_env(*_: Any, **__: Any) -> Any:
        return make()

    try:
        return _called(learn, make_env, steps, seed, gamma)
    except EnoughSteps:
        raise Unsuited(
            f"learn was asked for {steps} steps and did not stop after {OVERRUN} times as many."
        ) from None
    except SleuthError as error:
        raise Trouble(str(error)) from None
    except Exception as error:
        raise Trouble(sentence(error)) from error


def _called(learn: Learn, make_env: Callable[..., Any], steps: int, seed: int, gamma: float) -> Any:
    """By name where the names are those of the protocol, else by position."""
    given = {"make_env": make_env, "steps": steps, "seed": seed, "gamma": gamma}
    try:
        names = inspect.signature(learn).parameters
    except (TypeError, ValueError):
        names = {}  # type: ignore[assignment]
    if set(given) <= set(names):
        return learn(**given)
    return learn(make_env, steps, seed, gamma)


def sentence(error: BaseException) -> str:
    """What went wrong, and the user's own line."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "sleuth/rl/" not in f.filename]
    where = f" ({frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno})" if frames else ""
    words = " ".join(str(error).split()) or "no message"
    return f"learn raised {type(error).__name__}: {words}{where}"


def starter(learn: Learn, form: Form, has_value: bool = True) -> Callable[[Table, int, float], Session]:
    def start(table: Table, seed: int, gamma: float) -> Session:
        if table.asks == "value" and not has_value:
            raise Unsuited("the agent has no value(obs) or q(obs)")
        return LearnSession(learn, table, form, seed, gamma)

    return start


def pace(last: int = LAST) -> Callable[[Table], Pace]:
    return lambda _: Pace(min(FIRST, last), GROWTH, last, shortcut=True)


def fitting_form(
    learn: Learn, table: Table, gamma: float, seed: int, forms: Sequence[Form]
) -> tuple[Form, Reading, list[str]]:
    """The first form that the agent accepts, and what it says there; else the troubles of all."""
    troubles = []
    for form in forms:
        try:
            reading = LearnSession(learn, table, form, seed, gamma).until(64)
        except Trouble as trouble:
            troubles.append(str(trouble))
        else:
            return form, reading or Reading(), []
    return Form(), Reading(), troubles


def repeatable(learn: Learn, table: Table, form: Form, gamma: float, seed: int) -> bool:
    """Whether one seed gives one result."""
    one, two = (LearnSession(learn, table, form, seed, gamma).until(300) for _ in range(2))
    return (
        one is not None
        and two is not None
        and (one.values, one.q, one.policy) == (two.values, two.q, two.policy)
    )

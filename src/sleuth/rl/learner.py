"""A user's `learn(make_env, steps, seed, gamma)` as something the ladder can ask."""

import inspect
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sleuth.errors import SleuthError
from sleuth.rl.ladder import SPREAD, Pace, Session, Trouble, Unsuited
from sleuth.rl.reading import MEMBERS, Reading, member, read
from sleuth.rl.tables import Table
from sleuth.rl.worlds import Coding, EnoughSteps, Witness, coding, make_world

Learn = Callable[..., Any]


class Raised(Trouble):
    """The user's own code raised: perhaps it wants other spaces."""


FIRST, GROWTH, LAST = 250, 2.0, 16_000  # a table needs 250 steps, a default PPO 9000 for two actions
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
FORMS = (
    Form(),
    Form("discrete"),
    Form(continuous=True),
    Form("image"),
    Form("dict"),
    Form("multi-discrete"),
    Form("image", continuous=True),
    Form("dict", continuous=True),
)


@dataclass
class LearnSession:
    """Trains anew for every check, as `learn` returns its agent at the end; one that yields goes on."""

    learn: Learn
    table: Table
    form: Form
    seed: int
    gamma: float
    facts: dict[str, float] = field(default_factory=dict)
    witness: Witness = field(default_factory=Witness)
    course: Iterator[Any] | None = None
    trained: int = 0

    def until(self, steps: int) -> Reading | None:
        code = self.form.coding(self.table)
        agent = self._yielded(steps, code) if yields(self.learn) else self._returned(steps, code)
        if agent is _EXHAUSTED:
            return None
        _usable(agent, self.witness)
        self.trained = self.witness.steps
        return read(agent, self.table, code, self.witness)

    def _returned(self, steps: int, code: Coding) -> Any:
        self.witness = witness = Witness(limit=OVERRUN * steps + ROLLOUT)
        agent = trained(
            self.learn, lambda: make_world(self.table, code, witness), steps, self.seed, self.gamma
        )
        _note(self.facts, witness)
        return agent

    def _yielded(self, steps: int, code: Coding) -> Any:
        """The first agent that comes after so many steps."""
        if self.course is None:
            self.course = trained(
                self.learn,
                lambda: make_world(self.table, code, self.witness),
                2 * LAST,
                self.seed,
                self.gamma,
            )
        self.witness.limit = OVERRUN * steps + ROLLOUT
        agent = _advanced(self.course, self.witness, steps)
        self.facts.clear()
        _note(self.facts, self.witness)
        return agent


_EXHAUSTED = object()


def yields(learn: Learn) -> bool:
    return inspect.isgeneratorfunction(learn)


def _advanced(course: Iterator[Any], witness: Witness, steps: int) -> Any:
    with _as_one_sentence(steps):
        for agent in course:
            if witness.steps >= steps:
                return agent
    return _EXHAUSTED


def _usable(agent: Any, witness: Witness) -> None:
    if agent is None:
        raise Trouble("learn returned None; it should return an agent with value, q or policy.")
    if not any(member(agent, name) for name in MEMBERS) and not witness.moves:
        raise Trouble(f"The agent ({type(agent).__name__}) has none of {', '.join(MEMBERS)}.")
    if witness.copies == 0:
        raise Trouble("learn never made an environment.")
    if witness.steps == 0:
        raise Trouble("learn never stepped the environment.")


def _note(facts: dict[str, float], witness: Witness) -> None:
    for name in ("steps", "after_end", "after_limit", "before_reset", "outside", "copies"):
        facts[name] = facts.get(name, 0) + getattr(witness, name)


def finished(learn: Learn, make: Callable[[], Any], steps: int, seed: int, gamma: float) -> Any:
    """The agent after all its training; of one that yields, the last."""
    agent = trained(learn, make, steps, seed, gamma)
    if not yields(learn):
        return agent
    with _as_one_sentence(steps):
        agents = list(agent)
    return agents[-1] if agents else None


def trained(learn: Learn, make: Callable[[], Any], steps: int, seed: int, gamma: float) -> Any:
    """One call of `learn`; whatever it raises becomes one sentence."""

    def make_env(*_: Any, **__: Any) -> Any:
        return make()

    with _as_one_sentence(steps):
        return _called(learn, make_env, steps, seed, gamma)


@contextmanager
def _as_one_sentence(steps: int) -> Iterator[None]:
    """Whatever the user's code raises becomes one sentence."""
    try:
        yield
    except EnoughSteps:
        most = OVERRUN * steps + ROLLOUT
        raise Unsuited(f"learn was asked for {steps} steps and did not stop after {most}.") from None
    except SystemExit as leaving:
        raise Trouble(f"learn left Python with exit code {leaving.code}.") from None
    except SleuthError as error:
        raise Trouble(str(error)) from None
    except Exception as error:
        raise Raised(sentence(error)) from error


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


def starter(learn: Learn, form: Form, says: Reading | None = None) -> Callable[[Table, int, float], Session]:
    """`says`: what the agent answered in a trial; it is not trained for questions it cannot answer."""

    def start(table: Table, seed: int, gamma: float) -> Session:
        if table.asks == "value" and says is not None and says.worth is None:
            told = [trouble for trouble in says.troubles if not trouble.startswith("policy")]
            raise Unsuited("; ".join(told) or "the agent has no value(obs) or q(obs)")
        return LearnSession(learn, table, form, seed, gamma)

    return start


def pace(learn: Learn, last: int = LAST) -> Callable[[Table], Pace]:
    first = min(FIRST, last)
    return lambda _: Pace(first, SPREAD, last) if yields(learn) else Pace(first, GROWTH, last, shortcut=True)


def fitting_form(
    learn: Learn, table: Table, gamma: float, seed: int, forms: Sequence[Form]
) -> tuple[Form, Reading, list[str]]:
    """The first form that the agent accepts, and what it says there; else the troubles of all."""
    troubles = []
    for form in forms:
        try:
            reading = LearnSession(learn, table, form, seed, gamma).until(64)
        except Raised as trouble:
            troubles.append(str(trouble))
        except Trouble as trouble:
            return Form(), Reading(), [str(trouble)]  # no other spaces would help
        else:
            return form, reading or Reading(), []
    return Form(), Reading(), troubles


def repeatable(learn: Learn, table: Table, form: Form, gamma: float, seed: int) -> bool:
    """Whether one seed gives one result."""
    one, two = (LearnSession(learn, table, form, seed, gamma).until(300) for _ in range(2))
    return (
        one is not None
        and two is not None
        and repr((one.values, one.q, one.policy)) == repr((two.values, two.q, two.policy))  # NaN is like NaN
    )

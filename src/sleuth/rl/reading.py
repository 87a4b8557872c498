"""Reading an agent: whatever `value`, `q` and `policy` return becomes plain numbers a state."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sleuth.errors import SleuthError
from sleuth.rl.tables import Table
from sleuth.rl.worlds import Coding, Witness

MEMBERS = ("value", "q", "policy")
DRAWS = 40  # calls of a policy that answers with one action: enough to tell 0.8 from 0.5
ENOUGH_MOVES = 8  # per state, before behaviour counts as a policy


@dataclass(frozen=True)
class Reading:
    """Per state: value, action values, probability of the second action. None: the agent does not say."""

    values: tuple[float, ...] | None = None
    q: tuple[tuple[float, float], ...] | None = None
    policy: tuple[float | None, ...] | None = None
    acted: tuple[float | None, ...] = ()
    troubles: tuple[str, ...] = ()
    ranged: bool = False  # actions come from a range: a policy is a place in it, not a chance

    @property
    def worth(self) -> tuple[float, ...] | None:
        """The value of each state, by whichever means the agent has."""
        if self.values is not None:
            return self.values
        return tuple(max(row) for row in self.q) if self.q is not None else None

    @property
    def second(self) -> tuple[float | None, ...]:
        """P(second action) in each state: as the policy says, else the greedy action, else what was done."""
        if self.policy is not None:
            return self.policy
        if self.q is not None:
            return tuple(float(two > one) for one, two in self.q)
        return self.acted


def member(agent: Any, name: str) -> Callable[..., Any] | None:
    found = agent.get(name) if isinstance(agent, Mapping) else getattr(agent, name, None)
    return found if callable(found) else None


def read(agent: Any, table: Table, code: Coding, witness: Witness) -> Reading:
    """Ask for every state of the table; a member with an answer of the wrong shape is dropped, and said."""
    if agent is None:
        raise SleuthError("learn returned None; it should return an agent with value, q or policy.")
    troubles: list[str] = []

    def asked(name: str, convert: Callable[[Callable[..., Any], Any], Any]) -> tuple[Any, ...] | None:
        function = member(agent, name)
        if function is None:
            return None
        try:
            return tuple(convert(function, shown) for shown in code.observations)
        except Exception as error:
            troubles.append(f"{name}(obs): {error}")
            return None

    draws = 1 if getattr(agent, "deterministic", False) else DRAWS
    if table.by_deed:
        return Reading(acted=behaviour(table, witness))
    if table.targets:
        chosen = asked("policy", lambda function, shown: _action(function, shown, draws))
        return Reading(acted=chosen or behaviour(table, witness), troubles=tuple(troubles))
    values = asked("value", _value)
    q = asked("q", lambda function, shown: _q(function, shown, code))
    if q is not None and all(len(row) == 1 for row in q):
        values, q = values or tuple(row[0] for row in q), None
    policy = asked("policy", lambda function, shown: _second(function, shown, code, draws))
    ranged = type(code.action_space).__name__ == "Box"
    return Reading(values, q, policy, behaviour(table, witness), tuple(troubles), ranged)


def behaviour(table: Table, witness: Witness) -> tuple[float | None, ...]:
    """Share of the second action among the latest moves in states that look the same."""
    looks = [(float(state),) if table.by_deed else code for state, code in enumerate(table.codes)]
    by_look: dict[tuple[float, ...], list[float]] = {}
    for state, weight in witness.moves:
        by_look.setdefault(looks[state], []).append(weight)
    seen = [by_look.get(look, []) for look in looks]
    return tuple(sum(moves) / len(moves) if len(moves) >= ENOUGH_MOVES else None for moves in seen)


def plain(answer: Any) -> Any:
    """A NumPy array of whatever came back: tensors, distributions, (answer, state) pairs."""
    import numpy as np

    if isinstance(answer, tuple) and answer:
        answer = answer[0]
    if hasattr(answer, "probs") and not hasattr(answer, "shape"):
        answer = answer.probs
    if hasattr(answer, "detach"):
        answer = answer.detach().cpu().numpy()
    return np.asarray(answer, np.float64)


def _called(function: Callable[..., Any], shown: Any) -> Any:
    """With one observation as the environment gives it; if that fails, with a batch of one, or a tensor."""
    import numpy as np

    try:
        return plain(function(shown))
    except Exception as first:
        for other in (lambda: np.asarray(shown)[None], lambda: _tensor(shown), lambda: _tensor(shown)[None]):
            try:
                return plain(function(other()))
            except Exception:
                continue
        raise first from None


def _tensor(shown: Any) -> Any:
    import torch

    return torch.as_tensor(shown)


def _value(function: Callable[..., Any], shown: Any) -> float:
    answer = _called(function, shown)
    if answer.size != 1:
        raise ValueError(f"expected one number, got shape {answer.shape}")
    return float(answer.reshape(-1)[0])


def _q(function: Callable[..., Any], shown: Any, code: Coding) -> tuple[float, ...]:
    answer = _called(function, shown).reshape(-1)
    count = getattr(code.action_space, "n", None)
    if count is None and answer.size == 1:
        return (float(answer[0]),)
    if count is None or answer.size != count:
        raise ValueError(f"expected one number an action ({count}), got {answer.size}")
    halves: tuple[list[float], list[float]] = ([], [])
    for place, number in enumerate(answer):
        halves[int(code.weight(place + int(code.action_space.start)))].append(float(number))
    return max(halves[0]), max(halves[1])


def _second(function: Callable[..., Any], shown: Any, code: Coding, count_of_draws: int) -> float:
    answer = _called(function, shown)
    count = getattr(code.action_space, "n", None)
    if count is not None and answer.size == count and count > 1:
        start = int(code.action_space.start)
        return float(
            sum(p for place, p in enumerate(_probabilities(answer.reshape(-1))) if code.weight(place + start))
        )
    if count is not None and answer.size != 1:
        raise ValueError(f"expected an action or {count} probabilities, got shape {answer.shape}")
    draws = [answer, *(_called(function, shown) for _ in range(count_of_draws - 1))]
    weights = [_weight_of(draw, code) for draw in draws]
    return float(sum(weights) / len(weights))


def _action(function: Callable[..., Any], shown: Any, count_of_draws: int) -> float:
    """One continuous number: what a deterministic policy does, the mean of one that draws."""
    draws = [_called(function, shown) for _ in range(count_of_draws)]
    if draws[0].size != 1:
        raise ValueError(f"expected one number for a space of one, got {draws[0].size}")
    return float(sum(float(draw.reshape(-1)[0]) for draw in draws) / len(draws))


def _weight_of(draw: Any, code: Coding) -> float:
    if hasattr(code.action_space, "n"):
        action = float(draw.reshape(-1)[0])
        first = int(code.action_space.start)
        if action != round(action) or not first <= action < first + int(code.action_space.n):
            raise ValueError(f"{action:g} is no action of {code.action_space}")
        return code.weight(int(action))
    return code.weight(draw)


def _probabilities(answer: Any) -> Sequence[float]:
    """Probabilities as they are; anything else is taken for logits."""
    import numpy as np

    if bool((answer >= -1e-6).all()) and abs(float(answer.sum()) - 1.0) < 1e-3:
        return [float(p) for p in answer]
    raised = np.exp(answer - answer.max())
    return [float(p) for p in raised / raised.sum()]

"""How far a reading is from the truth of its probe, in tolerances: at most 1 is right."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sleuth.rl.reading import Reading
from sleuth.rl.tables import Table
from sleuth.rl.truth import best_q, best_values, policy_values, q_values

MISS = 0.2  # P(best action) must exceed 0.8
OTHER_Q = 0.5  # actions the greedy policy hardly tries are learnt later; measured bugs leave 1.6 and more
# Over several steps Q may be that of an agent that still explores: a fifth of random actions costs 0.4 of 4.
ACTING = 0.8
PREFERS = 0.6  # P(best action); drawn among many moves this is far from a coin
OWN_POLICY = 0.3  # a critic lags behind a policy that still moves


@dataclass(frozen=True)
class Error:
    """`size` in tolerances; `what` says which number it was. `size` is None where nothing could be asked."""

    size: float | None
    what: str = ""
    mean: float = field(default=math.inf, compare=False)  # over everything that was asked


def judge(table: Table, gamma: float, reading: Reading) -> Error:
    """The worst of everything this probe asks and this agent answers."""
    errors = [
        *_value_errors(table, gamma, reading),
        *_policy_errors(table, reading),
        *_target_errors(table, reading),
    ]
    if not errors:
        return Error(None)
    sizes = [math.inf if error.size is None else error.size for error in errors]
    worst = errors[sizes.index(max(sizes))]
    return replace(worst, mean=sum(sizes) / len(sizes))


def _value_errors(table: Table, gamma: float, reading: Reading) -> list[Error]:
    if reading.q is not None and not table.targets:
        return _table_errors(table, gamma, reading.q, reading.acted)
    if table.asks == "policy":
        return []
    if reading.values is None:
        return []
    if table.asks == "value":
        truth: Sequence[float] = best_values(table, gamma)
        return [
            _off(f"V({table.label(state)})", seen, truth[state], table.tolerance)
            for state, seen in enumerate(reading.values)
        ]
    return _own_policy_errors(table, gamma, reading)


def _own_policy_errors(table: Table, gamma: float, reading: Reading) -> list[Error]:
    """Where actions matter, a critic is right about the policy the agent has, not about the best one."""
    chances = [p for p in reading.second if p is not None]
    if reading.values is None or len(chances) < table.states:
        return []
    truth = policy_values(table, gamma, [(1.0 - p, p) for p in chances])
    best = best_values(table, gamma)
    errors = []
    for state, seen in enumerate(reading.values):
        # Acting may be greedier, or more curious, than the policy says: anything between the two is right.
        nearest = min(max(seen, min(truth[state], best[state])), max(truth[state], best[state]))
        errors.append(_off(f"V({table.label(state)})", seen, nearest, OWN_POLICY))
    return errors


def _table_errors(
    table: Table, gamma: float, seen: Sequence[Sequence[float]], acted: Sequence[float | None]
) -> list[Error]:
    best = best_q(table, gamma)
    own = _explored_q(table, gamma, acted) if table.asks == "policy" else best
    errors = []
    for state, (right, row) in enumerate(zip(best, seen, strict=True)):
        for action, (want, have) in enumerate(zip(right, row, strict=True)):
            greedy = want >= max(right)
            if table.asks == "policy" and not (greedy and state in (table.best or {})):
                continue  # no one number is right in states that look alike, or for actions hardly tried
            allowed = ACTING if table.asks == "policy" else table.tolerance if greedy else OTHER_Q
            nearest = min(max(have, own[state][action]), want) if math.isfinite(have) else want
            errors.append(_off(f"Q({table.label(state)}, {action})", have, nearest, allowed))
    return errors


def _explored_q(table: Table, gamma: float, acted: Sequence[float | None]) -> list[list[float]]:
    """The least that an agent may say that learns about the policy it explores with, and prefers the best."""
    shares = [(acted[state], best) for state, best in (table.best or {}).items() if acted]
    prefers = [done is not None and abs(done - best) <= 1.0 - PREFERS for done, best in shares]
    own = acting_q(table, gamma, acted) if prefers and all(prefers) else None
    return own or best_q(table, gamma)


def acting_q(table: Table, gamma: float, acted: Sequence[float | None]) -> list[list[float]] | None:
    """Action values of what the agent does, where that is known in every state."""
    chances = [share for share in acted if share is not None]
    if len(chances) < table.states:
        return None
    return q_values(table, gamma, lambda row, state: row[0] + chances[state] * (row[1] - row[0]))


def _policy_errors(table: Table, reading: Reading) -> list[Error]:
    errors = []
    for state, best in (table.best or {}).items():
        second = reading.second[state] if reading.second else None
        if second is not None:
            chance = second if best == 1 else 1.0 - second
            what = f"P(best action | {table.label(state)}) = {chance:.2f}"
            errors.append(Error((1.0 - chance) / MISS if math.isfinite(chance) else math.inf, what))
    return errors


def _target_errors(table: Table, reading: Reading) -> list[Error]:
    return [
        _off(f"action({table.label(state)})", done, target, table.tolerance)
        for state, (done, target) in enumerate(zip(reading.acted, table.targets, strict=False))
        if done is not None
    ]


def _off(what: str, seen: float, truth: float, tolerance: float) -> Error:
    size = abs(seen - truth) / tolerance if math.isfinite(seen) else math.inf
    return Error(size, f"{what} = {seen:.2f}, right is {truth:.2f}")

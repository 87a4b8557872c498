"""What there is to be learnt in a table, by dynamic programming: values, action values, best actions."""

from collections.abc import Callable, Sequence

from sleuth.rl.tables import Move, Table

SWEEPS = 4000  # 0.99 ** 4000 is 3e-18
CLOSE = 1e-12


def q_values(table: Table, gamma: float, worth: Callable[[Sequence[float], int], float]) -> list[list[float]]:
    """Q by value iteration; `worth` turns the action values of a state into its value."""
    q = [[0.0] * len(moves) for moves in table.moves]
    for _ in range(SWEEPS):
        values = [worth(row, state) for state, row in enumerate(q)]
        fresh = [[_target(move, gamma, values) for move in moves] for moves in table.moves]
        moved = max(
            abs(a - b) for old, new in zip(q, fresh, strict=True) for a, b in zip(old, new, strict=True)
        )
        q = fresh
        if moved < CLOSE:
            break
    return q


def best_q(table: Table, gamma: float) -> list[list[float]]:
    return q_values(table, gamma, lambda row, _: max(row))


def best_values(table: Table, gamma: float) -> list[float]:
    return [max(row) for row in best_q(table, gamma)]


def policy_values(table: Table, gamma: float, policy: Sequence[Sequence[float]]) -> list[float]:
    """The value of every state under P(action | state)."""

    def worth(row: Sequence[float], state: int) -> float:
        return sum(p * q for p, q in zip(policy[state], row, strict=True))

    q = q_values(table, gamma, worth)
    return [worth(row, state) for state, row in enumerate(q)]


def _target(move: Move, gamma: float, values: Sequence[float]) -> float:
    """A time limit is no end of the world: only `terminated` stops the sum."""
    if move.end == "terminated" or not move.to:
        return move.reward
    return move.reward + gamma * sum(values[state] for state in move.to) / len(move.to)

"""One stream of experience, bent by a mistake and fitted: what a wrong agent would come to believe.

Most wrong agents do not fail at random, they converge to a different known answer. Here the stream of a
probe world under random actions is bent the way a mistake bends it, and the values that fit the bent stream
are solved for. No training happens.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sleuth.rl.tables import Table

ROWS = 2400
NOWHERE = -1


@dataclass(frozen=True)
class Stream:
    """Rows of experience: observation kind, action, reward, kind after it, kind at the row after, flags."""

    kinds: int
    seen: Any
    action: Any
    reward: Any
    after: Any
    follows: Any
    terminated: Any
    truncated: Any

    @property
    def ended(self) -> Any:
        return self.terminated | self.truncated


@dataclass(frozen=True)
class Belief:
    """What one mistake predicts by kind of observation, and how far the second action seems better.

    Values come twice: from one-step targets, and from whole returns. Real agents stand between the two.
    """

    values: tuple[Any, ...]
    gap: Any
    spread: Any = None  # of the returns behind each value: what is learnt from noise stays noisy


@dataclass(frozen=True)
class Mistake:
    """`bend` changes the rows, `gamma` the discount; `mask`: where a target stops, `link`: where it looks."""

    says: str
    bend: Callable[[Stream], Stream] = lambda stream: stream
    gamma: Callable[[float], float] = lambda gamma: gamma
    mask: Callable[[Stream], Any] = lambda stream: stream.terminated
    link: Callable[[Stream], Any] = lambda stream: stream.after
    leaks: bool = False
    blind: bool = False
    one_step: bool = False  # whole returns do not show it


def kinds_of(table: Table) -> list[int]:
    """States that look the same are one kind."""
    order = list(dict.fromkeys(table.codes))
    return [order.index(code) for code in table.codes]


@cache
def experience(name: str) -> Stream:
    """A stream of random actions in the probe world of that name."""
    import numpy as np

    from sleuth.rl.tables import extra, ladder

    table = (ladder() | extra())[name]
    chance = np.random.default_rng(0)
    kinds = kinds_of(table)
    rows: list[tuple[int, int, float, int, bool, bool]] = []
    state = int(chance.choice(table.starts))
    for _ in range(ROWS):
        action = int(chance.integers(2))
        move = table.moves[state][action]
        to = int(chance.choice(move.to)) if move.to else NOWHERE
        after = kinds[to] if to != NOWHERE else NOWHERE
        ends = (move.end == "terminated", move.end == "truncated")
        rows.append((kinds[state], action, move.reward, after, *ends))
        fresh = move.restart if move.restart is not None else int(chance.choice(table.starts))
        state = fresh if move.end else to
    seen, actions, rewards, afters, terminated, truncated = map(np.array, zip(*rows, strict=True))
    return Stream(len(set(kinds)), seen, actions, rewards, afters, np.roll(seen, -1), terminated, truncated)


def believe(mistake: Mistake, stream: Stream, gamma: float) -> Belief:
    """Values that fit the bent stream, and the preference between actions that its returns suggest."""
    bent = mistake.bend(stream)
    rate = mistake.gamma(gamma)
    one_step = _one_step(bent, rate, ~mistake.mask(bent), mistake.link(bent))
    returns = _returns(bent, rate, mistake, one_step)
    whole, spread = _means(bent, returns), _deviations(bent, returns)
    gap = _gaps(
        bent, _targets(bent, rate, mistake, one_step) if mistake.one_step and not mistake.leaks else returns
    )
    if mistake.blind:
        one_step, whole, spread, gap = (_for_all(found) for found in (one_step, whole, spread, gap))
    return Belief((one_step,) if mistake.one_step else (one_step, whole), gap, spread)


def _for_all(found: Any) -> Any:
    """The only kind there is speaks for all."""
    import numpy as np

    return np.full_like(found, found[0])


def _one_step(stream: Stream, gamma: float, goes_on: Any, link: Any) -> Any:
    import numpy as np

    kinds = stream.kinds
    rewards, counts = np.zeros(kinds), np.zeros(kinds)
    ways = np.zeros((kinds, kinds))
    live = stream.seen != NOWHERE
    np.add.at(counts, stream.seen[live], 1.0)
    np.add.at(rewards, stream.seen[live], stream.reward[live])
    linked = live & goes_on & (link != NOWHERE)
    np.add.at(ways, (stream.seen[linked], link[linked]), 1.0)
    total = np.maximum(counts, 1.0)
    values = np.linalg.solve(np.eye(kinds) - gamma * ways / total[:, None], rewards / total)
    return np.where(counts > 0, values, np.nan)


def _returns(stream: Stream, gamma: float, mistake: Mistake, values: Any) -> Any:
    """Discounted sums along the stream, cut at its ends unless the mistake lets them through."""
    import numpy as np

    masked = mistake.mask(stream)
    stops = masked | stream.truncated
    link = mistake.link(stream)
    known = np.where(link == NOWHERE, 0.0, np.nan_to_num(values)[np.maximum(link, 0)])
    rest = np.where(stream.truncated & ~masked, known, 0.0).tolist()
    rewards, cut = stream.reward.tolist(), (stops & (not mistake.leaks)).tolist()
    sums, running = np.zeros(len(rewards)), 0.0
    for row in range(len(rewards) - 1, -1, -1):
        running = rewards[row] + gamma * (rest[row] if cut[row] else running)
        sums[row] = running
    return sums


def _targets(stream: Stream, gamma: float, mistake: Mistake, values: Any) -> Any:
    """One-step targets of every row."""
    import numpy as np

    link = mistake.link(stream)
    known = np.where(link == NOWHERE, 0.0, np.nan_to_num(values)[np.maximum(link, 0)])
    return stream.reward + gamma * np.where(mistake.mask(stream), 0.0, known)


def _means(stream: Stream, returns: Any) -> Any:
    import numpy as np

    means = np.full(stream.kinds, np.nan)
    for kind in range(stream.kinds):
        rows = returns[stream.seen == kind]
        if len(rows):
            means[kind] = rows.mean()
    return means


def _deviations(stream: Stream, returns: Any) -> Any:
    import numpy as np

    rows = [returns[stream.seen == kind] for kind in range(stream.kinds)]
    return np.array([float(found.std()) if len(found) else 0.0 for found in rows])


def _gaps(stream: Stream, returns: Any) -> Any:
    import numpy as np

    gaps = np.full(stream.kinds, np.nan)
    for kind in range(stream.kinds):
        one, two = (returns[(stream.seen == kind) & (stream.action == action)] for action in (0, 1))
        if len(one) and len(two):
            gaps[kind] = two.mean() - one.mean()
    return gaps

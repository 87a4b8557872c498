"""Slow, plain references for returns, GAE and n-step targets, and the ways in which they go wrong.

Double loops on purpose: each sum is written as the textbook defines it, step by step forward from its row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Numbers = Sequence[float]


@dataclass(frozen=True)
class Rollout:
    """One stretch of experience. `after[t]` is the value of the observation that step t led to."""

    rewards: tuple[float, ...]
    values: tuple[float, ...]
    after: tuple[float, ...]
    terminated: tuple[bool, ...]
    truncated: tuple[bool, ...]
    gamma: float = 0.9
    lam: float = 0.7
    n: int = 3

    @property
    def ended(self) -> tuple[bool, ...]:
        return tuple(a or b for a, b in zip(self.terminated, self.truncated, strict=True))


@dataclass(frozen=True)
class Way:
    """How a sum is built; the default is right, every other setting is a known mistake."""

    cut: str = "ended"  # which flag stops the sum: ended, terminated, nothing
    mask: str = "terminated"  # which flag removes the next value: terminated, ended, nothing
    gamma: float | None = None
    lam: float | None = None
    flags: int = 0  # rows by which the flags are moved
    rewards: int = 0
    last: bool = True  # whether the value after the last row counts
    sign: float = 1.0
    baseline: bool = True
    late_discount: bool = False


def flagged(rollout: Rollout, which: str, by: int) -> tuple[bool, ...]:
    if which == "nothing":
        return (False,) * len(rollout.rewards)
    return moved(rollout.ended if which == "ended" else rollout.terminated, by, False)


def moved(row: Sequence, by: int, fill: object) -> tuple:  # type: ignore[type-arg]
    if by > 0:
        return (*(fill,) * by, *row[:-by])
    return (*row[-by:], *(fill,) * -by) if by else tuple(row)


def _rewards_values_and_flags(
    rollout: Rollout, way: Way
) -> tuple[Numbers, Numbers, tuple[bool, ...], tuple[bool, ...]]:
    after = list(rollout.after)
    if not way.last:
        after[-1] = 0.0
    rewards = moved(rollout.rewards, way.rewards, 0.0)
    return rewards, after, flagged(rollout, way.cut, way.flags), flagged(rollout, way.mask, way.flags)


def gae(rollout: Rollout, way: Way = Way()) -> list[float]:
    rewards, after, cut, mask = _rewards_values_and_flags(rollout, way)
    gamma = rollout.gamma if way.gamma is None else way.gamma
    lam = rollout.lam if way.lam is None else way.lam
    found = []
    for t in range(len(rewards)):
        total, weight = 0.0, 1.0
        for k in range(t, len(rewards)):
            base = rollout.values[k] if way.baseline else 0.0
            total += weight * (rewards[k] + gamma * after[k] * (not mask[k]) - base)
            if cut[k]:
                break
            weight *= gamma * lam
        found.append(way.sign * total)
    return found


def returns(rollout: Rollout, way: Way = Way()) -> list[float]:
    """Discounted sums to the end of the episode, or to the value of what follows."""
    rewards, after, cut, mask = _rewards_values_and_flags(rollout, way)
    gamma = rollout.gamma if way.gamma is None else way.gamma
    found = []
    for t in range(len(rewards)):
        total, weight = 0.0, gamma if way.late_discount else 1.0
        for k in range(t, len(rewards)):
            total += weight * rewards[k]
            weight *= gamma
            if cut[k] or k == len(rewards) - 1:
                total += weight * after[k] * (not mask[k])
                break
        found.append(way.sign * total)
    return found


def nstep(rollout: Rollout, way: Way = Way()) -> list[float]:
    rewards, after, cut, mask = _rewards_values_and_flags(rollout, way)
    gamma = rollout.gamma if way.gamma is None else way.gamma
    found = []
    for t in range(len(rewards)):
        total, weight = 0.0, 1.0
        last = min(t + rollout.n, len(rewards)) - 1
        for k in range(t, last + 1):
            total += weight * rewards[k]
            weight *= gamma
            if cut[k] or k == last:
                total += weight * after[k] * (not mask[k])
                break
        found.append(way.sign * total)
    return found


@dataclass(frozen=True)
class Flaw:
    """A named way to be wrong. Which cause it is the work of stands in the cause's file (`FLAWED_SUMS`)."""

    way: Way
    says: str


FLAWS: Mapping[str, Flaw] = {
    "leak": Flaw(
        Way(cut="nothing"),
        "the running sum is carried across the end of an episode (leak across done)",
    ),
    "bootstrap": Flaw(
        Way(mask="nothing"),
        "the next value is added at a true end: it is not masked by done",
    ),
    "leak and bootstrap": Flaw(
        Way(cut="nothing", mask="nothing"),
        "done is ignored: next values and the running sum both cross the end of an episode",
    ),
    "truncation": Flaw(
        Way(mask="ended"),
        "a time limit is taken for a true end: the value after it is dropped",
    ),
    "truncation leak": Flaw(
        Way(cut="terminated"),
        "the running sum is carried across a time limit into the next episode",
    ),
    "lambda missing": Flaw(Way(lam=1.0), "lambda is missing: it acts as 1"),
    "lambda zero": Flaw(Way(lam=0.0), "lambda acts as 0: nothing but one-step errors"),
    "gamma missing": Flaw(Way(gamma=1.0), "gamma is missing: it acts as 1"),
    "gamma zero": Flaw(Way(gamma=0.0), "gamma acts as 0"),
    "last value": Flaw(Way(last=False), "the value after the last row is dropped (last value)"),
    "done late": Flaw(Way(flags=1), "done is read one row late (off by one)"),
    "done early": Flaw(Way(flags=-1), "done is read one row early (off by one)"),
    "reward late": Flaw(Way(rewards=1), "rewards are read one row late (off by one)"),
    "reward early": Flaw(Way(rewards=-1), "rewards are read one row early (off by one)"),
    "sign": Flaw(Way(sign=-1.0), "the sign is flipped"),
    "no baseline": Flaw(Way(baseline=False), "the value of the state is not subtracted"),
    "late discount": Flaw(Way(late_discount=True), "the first reward is discounted as well (off by one)"),
}

Reference = Callable[[Rollout, Way], list[float]]

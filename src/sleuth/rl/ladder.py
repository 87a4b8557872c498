"""Climbing the probes: how long to train, when to call it a pass, when a fail is a bug."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median_low
from typing import Literal, Protocol

from sleuth.rl.judge import PREFERS, Error, judge
from sleuth.rl.reading import Reading
from sleuth.rl.stuck import SAYS, stuck
from sleuth.rl.tables import Table

Result = Literal["passed", "implied", "failed", "flaky", "undecided", "skipped", "crashed"]

IN_A_ROW = 3  # a value that feeds on itself passes *through* the right answer on its way up
SPREAD = 1.3  # between checks: three in a row span a factor of 1.7, whatever the speed
SHRINKING = 0.6  # an error that fell to this share since the check before is still on its way
SEEDS = 3
BUGS_ENOUGH = 2  # probes that failed on most seeds; after these, one seed is enough to name the bug
LEAP = 4  # where training starts anew for each check, this near the end of patience the end is next
BEYOND = 3.0  # times the largest value of an agent with a discount: its own may be somewhat nearer to 1
STILL = 0.05  # numbers that moved less between two checks stand still; the tightest tolerance is 0.2


class Session(Protocol):
    """One agent in one probe world. `trained`: steps so far, whole rollouts included."""

    trained: int

    def until(self, steps: int) -> Reading | None:
        """Its reading after that many steps; None when it cannot go on. Raises `Trouble` if it breaks."""


class Trouble(Exception):
    """The agent, not Sleuth, could not do it: one sentence."""


class Unsuited(Trouble):
    """This agent cannot be asked this probe; no fault of either."""


@dataclass(frozen=True)
class Pace:
    """When to look: first check, how fast to go on while it is wrong, and where patience ends."""

    first: int
    growth: float
    last: int
    shortcut: bool = False  # training starts anew for each check, so that every look has its price
    settles: int | None = None  # after so many steps an agent that stands still has made up its mind
    retry: int | None = None  # the most steps for another seed


@dataclass(frozen=True)
class Check:
    steps: int
    reading: Reading
    error: Error


@dataclass(frozen=True)
class Rung:
    """What became of one probe."""

    table: Table
    gamma: float
    result: Result
    checks: tuple[Check, ...] = ()
    reason: str = ""
    seeds: int = 1
    failing: int = 0
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def last(self) -> Check | None:
        return self.checks[-1] if self.checks else None


Start = Callable[[Table, int, float], Session]


def climb(
    tables: Iterable[Table],
    start: Start,
    pace: Callable[[Table], Pace],
    gamma: float,
    seed: int,
    step: Callable[[Rung], None] = lambda _: None,
) -> list[Rung]:
    """Every probe, the demanding ones first: whoever passes them is not asked what they imply.

    As soon as one does not pass, the climb begins at the bottom, for what breaks low explains what breaks
    above. The budget that sufficed for other probes is where the next one begins.
    """
    wanted = list(tables)
    done: dict[str, Rung] = {}
    for table in _order(wanted, done):
        rung = _implied(table, done, gamma)
        if rung is None:
            rungs = list(done.values())
            failed = sum(entry.result == "failed" for entry in rungs)
            seeds = 1 if failed >= BUGS_ENOUGH else SEEDS
            warmed = _warmed(pace(table), rungs, failed)
            rung = attempt(table, start, warmed, gamma, seed, seeds, lambda rung: stuck(rung, done))
        done[table.name] = rung
        step(rung)
    return [done[table.name] for table in wanted]


def _order(tables: Sequence[Table], done: Mapping[str, Rung]) -> Iterator[Table]:
    """Looks at what became of each before it gives the next."""
    names = {table.name for table in tables}
    for table in tables:
        if any(rung.result != "passed" for rung in done.values()):
            break
        if not (table.implied_by and names.issuperset(table.implied_by)):
            yield table
    yield from [table for table in tables if table.name not in done]


def _implied(table: Table, done: Mapping[str, Rung], gamma: float) -> Rung | None:
    """Nothing else failed either: a broken agent climbs every rung, so that its mistake can be named."""
    passed = {name for name, rung in done.items() if rung.result == "passed"}
    broken = any(rung.result not in ("passed", "implied", "skipped") for rung in done.values())
    if broken or not table.implied_by or not passed.issuperset(table.implied_by):
        return None
    return Rung(table, gamma, "implied", reason=f"follows from {' and '.join(table.implied_by)}")


def _warmed(pace: Pace, rungs: Sequence[Rung], failed: int) -> Pace:
    """An agent that needed 4000 steps for most probes below has learnt nothing after 250 here.

    The first probe that fails gets all patience: a target network that is copied late stands still for long.
    Once something is surely broken the other probes only help to name it, and less will do.
    """
    if not pace.shortcut:
        return pace
    needed = [rung.checks[-IN_A_ROW].steps for rung in rungs if rung.result == "passed" and rung.checks]
    first = min(max(pace.first, median_low(needed)), pace.last) if needed else pace.first
    if needed:
        pace = replace(pace, retry=max(LEAP * max(needed), pace.last // LEAP))
    if not failed:
        return replace(pace, first=first)
    longest = max([first, *needed])
    last = min(pace.last, max(pace.last // LEAP, LEAP * longest))
    return replace(pace, first=first, last=last, settles=2 * longest)


def attempt(
    table: Table,
    start: Start,
    pace: Pace,
    gamma: float,
    seed: int,
    seeds: int,
    excused: Callable[[Rung], bool] = lambda _: False,
) -> Rung:
    """One probe: a fail is tried again with new seeds, and is a bug if most of them fail without excuse."""
    asked, gamma = gamma, gamma if table.gamma is None else table.gamma
    rung = _own_discount(once(table, start, pace, gamma, seed), asked)
    if rung.result != "failed":
        return rung
    again = _again(pace, rung)
    tried, faulty = [rung], [] if excused(rung) else [rung]
    while len(tried) < seeds and 2 * len(faulty) <= seeds and 2 * (len(tried) - len(faulty)) <= seeds:
        other = _own_discount(once(table, start, again, gamma, seed + 1000 * len(tried)), asked)
        tried.append(other)
        faulty += [other] if other.result == "failed" and not excused(other) else []
    return _settled(tried, faulty, seeds)


def _settled(tried: Sequence[Rung], faulty: Sequence[Rung], seeds: int) -> Rung:
    failing = sum(rung.result == "failed" for rung in tried)
    if 2 * len(faulty) > seeds:
        return replace(faulty[0], seeds=len(tried), failing=failing)
    reason = tried[0].reason if tried[0] in faulty else f"{SAYS} ({tried[0].reason})"
    return replace(tried[0], result="flaky", reason=reason, seeds=len(tried), failing=failing)


def _again(pace: Pace, rung: Rung) -> Pace:
    """Another seed need not train longer than the first one moved, nor much longer than others needed."""
    if not pace.shortcut or rung.last is None:
        return pace
    steps = settled([(check.steps, check.reading) for check in rung.checks])
    steps = min(steps, pace.retry or steps)
    return replace(pace, first=steps, last=steps)


def settled(course: Sequence[tuple[int, Reading]]) -> int:
    """The steps after which nothing moved any more."""
    found, last = course[-1]
    for steps, reading in reversed(course):
        if not _alike(reading, last):
            break
        found = steps
    return found


def once(table: Table, start: Start, pace: Pace, gamma: float, seed: int) -> Rung:
    """One probe with one seed."""
    checks: list[Check] = []
    session: Session | None = None
    try:
        session = start(table, seed, gamma)
        result = _watched(session, table, pace, gamma, checks)
        reason = _reason(result, checks)
    except Unsuited as trouble:
        result, reason = "skipped", str(trouble)
    except Trouble as trouble:
        result, reason = "crashed", str(trouble)
    return Rung(table, gamma, result, tuple(checks), reason, facts=dict(getattr(session, "facts", {})))


def _own_discount(rung: Rung, asked: float) -> Rung:
    """A world with its own discount only tests agents that take the one they are given.

    The right value there is 1. One that keeps to the discount of the other worlds comes to (1 - own) / (1 -
    asked) at most; beyond that nothing is discounted at all.
    """
    check = rung.last
    worth = check.reading.worth if check is not None else None
    if rung.table.gamma is None or rung.result != "failed" or worth is None or not worth[0] > 1.0:
        return rung
    if worth[0] * (1.0 - asked) > BEYOND * (1.0 - rung.gamma):
        return rung
    return replace(rung, result="skipped", reason="the agent does not use the gamma it is given")


def _watched(session: Session, table: Table, pace: Pace, gamma: float, checks: list[Check]) -> Result:
    steps, row = pace.first, 0
    while True:
        reading = session.until(steps)
        if reading is None:
            return _verdict(table, checks)
        steps = max(steps, session.trained)  # rollouts are finished once begun: the next look comes after
        error = judge(table, gamma, reading)
        checks.append(Check(steps, reading, error))
        if error.size is None:
            return "skipped"
        row = row + 1 if error.size <= 1.0 else 0
        if row >= IN_A_ROW:
            return "passed"
        if not row and _made_up(checks, pace):
            return "failed"
        if pace.shortcut and table.endless and _untouched(checks):
            raise Unsuited("the agent learns only from whole episodes, and here none ends")
        if steps >= pace.last and not (row or _worth_another_look(checks)):
            return _verdict(table, checks)
        steps = _next(steps, row, pace)


def _next(steps: int, row: int, pace: Pace) -> int:
    """Slowly while it is right, faster while it is wrong, and never past the end of patience without need."""
    if row or steps >= pace.last:
        return max(steps + 1, int(steps * SPREAD))
    if pace.shortcut and LEAP * steps >= pace.last:
        return pace.last
    return min(max(steps + 1, int(steps * pace.growth)), pace.last)


def _made_up(checks: Sequence[Check], pace: Pace) -> bool:
    """Wrong, and the same as at half the steps."""
    if pace.settles is None or len(checks) < 2 or checks[-2].steps < pace.settles:
        return False
    return checks[-1].steps >= 2 * checks[-2].steps and _alike(checks[-2].reading, checks[-1].reading)


def _untouched(checks: Sequence[Check]) -> bool:
    """Not one update in training of very different length."""
    values = {check.reading.worth for check in checks}
    return len(checks) > IN_A_ROW and len(values) == 1


def _alike(one: Reading, two: Reading) -> bool:
    pairs = zip(_numbers_read(one), _numbers_read(two), strict=False)
    return all(abs(a - b) <= STILL for a, b in pairs)


def _numbers_read(reading: Reading) -> list[float]:
    chances = [-1.0 if chance is None else chance for chance in reading.second]
    rows = [number for row in reading.q or () for number in row]
    return [*(reading.values or ()), *rows, *chances]


def _worth_another_look(checks: Sequence[Check]) -> bool:
    """Near the truth at the end of the budget: the median of three decides, not one noisy look."""
    sizes = [math.inf if check.error.size is None else check.error.size for check in checks]
    return sizes[-1] < 2.0 and len(checks) < IN_A_ROW


def _verdict(table: Table, checks: Sequence[Check]) -> Result:
    sizes = [math.inf if check.error.size is None else check.error.size for check in checks]
    if not sizes:
        return "skipped"
    if len(sizes) >= IN_A_ROW and sorted(sizes[-IN_A_ROW:])[IN_A_ROW // 2] <= 1.0:
        return "passed"
    return "undecided" if _still_moving(checks, sizes) or _explores(table, checks[-1].reading) else "failed"


def _explores(table: Table, reading: Reading) -> bool:
    """Known only by its deeds, and for the best action in every state: the rest may be exploration."""
    if reading.policy is not None or reading.q is not None or reading.values is not None or not table.best:
        return False
    chances = [(reading.acted[state], best) for state, best in table.best.items() if reading.acted]
    return bool(chances) and all(
        second is not None and (second if best == 1 else 1.0 - second) >= PREFERS for second, best in chances
    )


def _still_moving(checks: Sequence[Check], sizes: Sequence[float]) -> bool:
    """The error fell steadily to the end: more steps, not a repair, may be what is missing.

    The worst number may wait for its turn: a long chain is learnt from its end, one target copy a step.
    """
    means = [check.error.mean for check in checks]
    half = sum(check.steps <= checks[-1].steps / 2 for check in checks)
    return half > 0 and (_shrinks(sizes, half) or _shrinks(means, half))


def _shrinks(sizes: Sequence[float], half: int) -> bool:
    if not math.isfinite(sizes[-1]):
        return False
    return sizes[-1] <= SHRINKING * sizes[half - 1] and sizes[-1] <= min(sizes)


def _reason(result: Result, checks: Sequence[Check]) -> str:
    if result == "skipped" and checks:
        troubles = checks[-1].reading.troubles
        return "; ".join(troubles) or "the agent has nothing to ask for this probe"
    if result in ("failed", "undecided") and checks:
        return checks[-1].error.what
    return ""

"""Holds the loops of a running script: counts their turns, cuts them short, pins them to their first batch.

A loop is a training loop once an optimizer step or a backward was seen inside it. Loops that only evaluate,
or make data, are never touched.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sleuth.lab.rewrite import Loop

LEAST_STEPS = 40  # fewer steps say nothing about a curve, however slow they are
WARM_STEPS, TIMED_STEPS = 4, 20  # the pace is taken from the steps between: the first ones load and allocate
BUSY = 1.25  # on a machine that is busy with other things a step counts nearly as long as it takes, so that
# the first stretch leaves time for experiments; a moment's noise does not shorten it
LATER_PHASES = (
    4  # a second training loop after the first (a student, a fine-tuning) gets this part of the limit
)
PASSES = 2  # a limit leaves room for so many passes over the data, so that what follows a pass is seen again


@dataclass(frozen=True)
class Limit:
    """When training has been seen enough: after so many steps or, where these are not given, seconds.

    Seconds become steps as soon as the pace is known, so that a second run in the same steps is cut at the
    same places, whatever else the machine is doing.
    """

    steps: int | None = None
    seconds: float | None = None

    def at_pace(self, steps: int, elapsed: float) -> "Limit":
        if self.seconds is None or self.steps is not None:
            return self
        return Limit(max(LEAST_STEPS, int(self.seconds * steps / max(elapsed, 1e-6))))

    def reached(self, steps: int, share: float = 1.0) -> bool:
        return self.steps is not None and steps >= max(1, int(self.steps * share))


@dataclass(frozen=True)
class Pace:
    """How long steps take by themselves: what other processes take from the machine hardly counts."""

    wall: float = field(default_factory=time.monotonic)
    own: float = field(default_factory=time.thread_time)

    def elapsed(self) -> float:
        return max(time.thread_time() - self.own, (time.monotonic() - self.wall) / BUSY)


@dataclass(eq=False)
class _Active:
    """A loop that runs now."""

    loop: Loop
    steps: int  # counted when it began
    backwards: int
    turns: int = 0


@dataclass(eq=False)
class Control:
    """What the rewritten loops call. `pin` keeps every training loop at its first batch."""

    limit: Limit = Limit()
    pin: "Pin | None" = None
    steps: int = 0
    backwards: int = 0
    pace: "Pace | None" = None
    cut: dict[str, int] = field(default_factory=dict)  # loop → turns it was allowed
    trains: set[str] = field(default_factory=set)
    running: list[_Active] = field(default_factory=list)
    phase_began: int = 0  # steps taken before the outermost loop that runs now
    at_limit: list[Callable[[], None]] = field(default_factory=list)  # told once that it is enough

    def stepped(self) -> None:
        """An optimizer step was taken."""
        self.steps += 1
        if self.over:
            while self.at_limit:
                self.at_limit.pop()()
        if self.steps == WARM_STEPS:
            self.pace = Pace()
        elif self.steps == TIMED_STEPS and self.pace is not None:
            self.limit = self.limit.at_pace(self.steps - WARM_STEPS, self.pace.elapsed())

    def went_backward(self) -> None:
        self.backwards += 1

    @property
    def over(self) -> bool:
        """This phase of training has been seen enough."""
        share = 1.0 if self.phase_began == 0 else 1 / LATER_PHASES
        return self.limit.reached(self.steps - self.phase_began, share)

    def turns(self, items: Iterable[Any], key: str) -> Iterator[Any]:
        """The turns of a `for` loop."""
        active = self._begin(key)
        try:
            for item in items:
                if active.turns and self._stop(active):
                    return
                active.turns += 1
                yield item if self.pin is None else self.pin.turn(self, active.loop, item)
                self._learn(active)
                self._forget_inside(active)
        finally:
            if active in self.running:
                self.running.remove(active)

    def again(self, key: str) -> bool:
        """Whether a `while` loop may go on. Nothing tells of its end, so its last known turn is looked up."""
        active = next((entry for entry in reversed(self.running) if entry.loop.key == key), None)
        if active is None:
            active = self._begin(key)
        else:
            self._learn(active)
            self._forget_inside(active)
            if self._stop(active):
                self.running.remove(active)
                return False
        active.turns += 1
        if self.pin is not None:
            self.pin.turn(self, active.loop, None)
        return True

    def rows(self, data: Any, place: str) -> Any:
        """Data that a cursor picks rows of: itself, or what picks those of the first turn."""
        return data if self.pin is None else _Rows(self, self.pin, data, place)

    def _begin(self, key: str) -> _Active:
        if not self.running:
            self.phase_began = self.steps
        active = _Active(Loop.from_key(key), self.steps, self.backwards)
        self.running.append(active)
        return active

    def _learn(self, active: _Active) -> None:
        if self.steps > active.steps or self.backwards > active.backwards:
            self.trains.add(active.loop.key)

    def _stop(self, active: _Active) -> bool:
        if active.loop.key not in self.trains:
            return False
        if self.over or self._pass_is_long_enough(active):
            self.cut[active.loop.key] = max(active.turns, self.cut.get(active.loop.key, 0))
            return True
        return False

    def _pass_is_long_enough(self, active: _Active) -> bool:
        """Inside another training loop a pass gets a share, so that a second pass is seen as well."""
        if active not in self.running:
            return False
        outer = self.running[: self.running.index(active)]
        if not any(self.steps > entry.steps for entry in outer):
            return False
        share = 1.0 if self.phase_began == 0 else 1 / LATER_PHASES
        return self.limit.reached(self.steps - active.steps, share / PASSES)

    def _forget_inside(self, active: _Active) -> None:
        """Loops begun inside a turn that is over have ended, by `break` or `return` where nothing told us."""
        if active in self.running:
            del self.running[self.running.index(active) + 1 :]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Stands for some data in one subscript."""

    control: Control
    pin: "Pin"
    data: Any
    place: str

    def __getitem__(self, index: Any) -> Any:
        return self.pin.picked(self.control, self.place, self.data, index)


@dataclass(eq=False)
class Pin:
    """Serves every turn of a training loop the data of its first turn, with the random streams of then."""

    snapshot: Callable[[], Any]
    restore: Callable[[Any], None]
    copy: Callable[[Any], Any]
    serve: Callable[[Any, Any, bool], Any]  # (item of this turn, first item, picks rows) → what to serve
    names_rows: Callable[[Any], bool] = lambda _: False  # whether a value is itself what rows are picked by
    first: dict[str, tuple[Any, Any]] = field(default_factory=dict)
    in_first: set[str] = field(default_factory=set)  # loops in their first turn
    picks: dict[tuple[str, str], list[tuple[Any, Any]]] = field(default_factory=dict)  # of first turns
    picked_now: dict[str, Counter[str]] = field(default_factory=dict)  # loop → place → times in this turn

    def turn(self, control: Control, loop: Loop, item: Any) -> Any:
        self.picked_now[loop.key] = Counter()
        if loop.key not in self.first:
            self.in_first.add(loop.key)
            self.first[loop.key] = (self.copy(item), self.snapshot())
            return item
        self.in_first.discard(loop.key)
        if loop.key not in control.trains:
            return item
        first, state = self.first[loop.key]
        self.restore(state)
        return self.serve(item, first, loop.indexes)

    def picked(self, control: Control, place: str, data: Any, index: Any) -> Any:
        """The rows that a cursor picks: in a training loop the same ones, in the same order, turn by turn."""
        noting = []
        for active in reversed(control.running):
            key = active.loop.key
            if key in control.trains and key not in self.in_first:
                return self._picked_again(key, place, data, index)
            if key in self.in_first:
                noting.append(self.picks.setdefault((key, place), []))
        value = data[index]
        for noted in noting:
            noted.append((self.copy(index), self.copy(value) if self.names_rows(value) else None))
        return value

    def _picked_again(self, key: str, place: str, data: Any, index: Any) -> Any:
        noted, number = self.picks.get((key, place), []), self.picked_now[key][place]
        self.picked_now[key][place] += 1
        if number >= len(noted):
            return data[index]
        at, value = noted[number]
        # An order may have been drawn anew since: its entries are kept, not where they stood.
        return self.copy(value) if value is not None else data[at]

"""A record that is still written, followed from where one left off; it takes as little room after a night."""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sleuth.archive import record
from sleuth.show.charts import Level

PLACES = 1024  # at most twice as many are held for a series, then neighbours are joined
MOST_SERIES = 400  # a record with more of them is told of by its first ones
MOST_LAYERS = 120  # sampled steps kept for maps; of more, every second goes
MOST_NAMES = 400  # parameters or modules in a map
LONGEST_LINE = 8_000_000  # bytes; a longer line is passed over
CHUNK = 1 << 20

# Beside steps and metrics, what evaluation passes showed.
OF_EVALUATION = ("loss", "correct")


@dataclass(slots=True)
class Bins:
    """Lowest, sum and highest of neighbouring values; as a series grows, each stands for more of them."""

    places: int = PLACES
    each: int = 1
    filled: int = 0  # of the last
    count: int = 0
    missing: int = 0
    first_missing: float | None = None
    last: float = math.nan
    steps: list[int] = field(default_factory=list)
    low: list[float] = field(default_factory=list)
    total: list[float] = field(default_factory=list)
    high: list[float] = field(default_factory=list)

    def add(self, step: int, value: float) -> None:
        self.count += 1
        self.last = value
        if not math.isfinite(value):
            self.missing += 1
            self.first_missing = step if self.first_missing is None else self.first_missing
            return
        if self.steps and self.filled < self.each:
            self.filled += 1
            self.low[-1] = min(self.low[-1], value)
            self.high[-1] = max(self.high[-1], value)
            self.total[-1] += value
            return
        if len(self.steps) >= 2 * self.places:
            self._join()
        self.filled = 1
        for column, number in ((self.low, value), (self.total, value), (self.high, value)):
            column.append(number)
        self.steps.append(step)

    def _join(self) -> None:
        """Two neighbours become one."""
        self.each *= 2
        self.steps = self.steps[::2]
        self.low = [min(pair) for pair in zip(self.low[::2], self.low[1::2], strict=True)]
        self.total = [sum(pair) for pair in zip(self.total[::2], self.total[1::2], strict=True)]
        self.high = [max(pair) for pair in zip(self.high[::2], self.high[1::2], strict=True)]

    def level(self) -> Level:
        sizes = [self.each] * (len(self.steps) - 1) + [self.filled]
        mean = [total / size for total, size in zip(self.total, sizes, strict=False)]
        return Level(
            tuple(self.steps),
            tuple(self.low),
            mean,
            tuple(self.high),
            self.missing,
            self.count,
            self.first_missing,
        )


@dataclass(slots=True)
class Sampled:
    """Per-layer numbers of some steps, evenly thinned."""

    steps: list[int] = field(default_factory=list)
    rows: list[Mapping[str, Any]] = field(default_factory=list)
    every: int = 1
    seen: int = 0

    def add(self, event: Mapping[str, Any]) -> None:
        if self.seen % self.every == 0:
            self.steps.append(_whole(event.get("n"), self.seen))
            self.rows.append(event)
            if len(self.rows) > MOST_LAYERS:
                self.steps, self.rows, self.every = self.steps[::2], self.rows[::2], self.every * 2
        self.seen += 1


@dataclass(slots=True)
class Tail:
    """What a record said so far. `follow` reads what was added since; call it from one thread at a time."""

    path: Path
    place: int = 0
    series: dict[str, Bins] = field(default_factory=dict)
    layers: Sampled = field(default_factory=Sampled)
    first: int | None = None
    latest: int | None = None
    _rest: bytes = b""
    _skipping: bool = False

    def follow(self) -> bool:
        """Whether anything was added."""
        before = self.place
        with suppress(OSError), self.path.open("rb") as file:
            if file.seek(0, 2) < self.place:  # written anew
                self._forget()
            file.seek(self.place)
            while part := file.read(CHUNK):
                self.place += len(part)
                self._take(part)
        return self.place != before

    @property
    def steps(self) -> int:
        return 0 if self.first is None or self.latest is None else self.latest - self.first + 1

    def _forget(self) -> None:
        self.place, self._rest, self.series, self.layers = 0, b"", {}, Sampled()
        self.first = self.latest = None

    def _take(self, part: bytes) -> None:
        """Whole lines; what stands behind the last one waits for its end."""
        *lines, rest = (self._rest + part).split(b"\n")
        for line in lines:
            if self._skipping:  # the end of a line that was too long
                self._skipping = False
            elif line:
                self._read(line)
        if len(rest) > LONGEST_LINE:
            self._skipping, rest = True, b""
        self._rest = rest

    def _read(self, line: bytes) -> None:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            return
        if isinstance(event, dict):
            self.take(event)

    def take(self, event: Mapping[str, Any]) -> None:
        kind = event.get("kind")
        if kind == "layers":
            self.layers.add(event)
            return
        if kind == "step":
            self.latest = _whole(event.get("n"), 0 if self.latest is None else self.latest + 1)
            self.first = self.latest if self.first is None else self.first
        for name, step, value in numbers(event, self.latest or 0):
            self._bins(name).add(step, value)

    def _bins(self, name: str) -> Bins:
        found = self.series.get(name)
        if found is None:
            found = Bins()
            if len(self.series) < MOST_SERIES:
                self.series[name] = found
        return found


def numbers(event: Mapping[str, Any], latest: int) -> Iterator[tuple[str, int, float]]:
    """Name, step and value of every number that belongs on a curve; names are those of the archive."""
    kind = event.get("kind")
    if kind == "step":
        for key, told in event.items():
            if key not in ("kind", "n") and (value := record.number(told)) is not None:
                yield f"step/{key}", latest, value
    elif kind == "metric" and (value := record.number(event.get("value"))) is not None:
        yield str(event.get("name")), _whole(event.get("n"), latest), value
    elif kind == "eval":
        for key in OF_EVALUATION:
            if (value := record.number(event.get(key))) is not None:
                yield f"eval/{key}", _whole(event.get("n"), latest), value


def _whole(step: object, otherwise: int) -> int:
    return step if type(step) is int and abs(step) < record.FARTHEST else otherwise

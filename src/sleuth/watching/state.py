"""What the recorder knows while the script runs: the one place of mutable state, shared by all doors."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sleuth.record.entries import Pattern, Trouble
from sleuth.watching.identity import Memory
from sleuth.watching.place import NOWHERE, Place, Places
from sleuth.watching.writer import Writer

if TYPE_CHECKING:
    from sleuth.watching.models import Known
    from sleuth.watching.rows import Rows

Event = tuple[str, int, int]  # name, id, line
LONG = 4096  # events of one window before they are folded
MOST_PATTERNS = 400  # different patterns worth keeping; a script with more has no rhythm to see
NORMS, LAYERS = 0.005, 0.006  # shares of the time that default sampling may take
EVALUATING = 0.008
FULL_NORMS, FULL_LAYERS = 0.05, 0.035  # and those of `--level full`; what is not counted adds as much again
GRACE = 0.25  # seconds of each kind given at the start: short runs are seen well, long ones do not feel it
FIRST_STEPS = 8  # always measured in full: most defects show at the start


@dataclass(slots=True)
class Window:
    """What was seen since the last optimizer step."""

    loss: Any = None
    loss_place: Place = NOWHERE
    backwards: int = 0
    called: float = 0.0
    called_known: bool = False
    factor: float | None = None
    clip: float | None = None
    clipped_norm: Any = None
    grad_norm: Any = None
    training: bool | None = None
    batch: str = ""
    rows: int | None = None
    data_s: float = 0.0
    forward_s: float = 0.0
    backward_s: float = 0.0
    graph: int | None = None
    measured: bool = False  # norms are wanted at this step
    sampled: bool = False  # layers are wanted at this step
    clip_gradients: dict[int, float] = field(default_factory=dict)  # id() of a parameter → norm before
    activations: dict[str, Any] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Forward:
    """A root call whose use is not known yet: training once a backward reaches it, else evaluation."""

    model: "Known"
    n: int
    place: Place
    caller: int
    training: bool
    gradients: bool
    rows: int
    loader: int | None
    hashes: Any = None
    version: int = 0  # of its first input: how often torch wrote into it
    beside: int = 0  # tensors that were hashed with the first
    values: tuple[Any, ...] = ()
    reached: bool = False
    inputs_at: frozenset[int] = frozenset()
    outputs_at: frozenset[int] = frozenset()
    losses: list[Any] = field(default_factory=list)  # loss calls made after it
    correct: Any = None
    checked: int = 0  # decisions behind `correct`
    weights: str = ""  # a few of them, in an evaluation call
    output: Any = None  # a few predictions, for constant outputs
    shape: tuple[int, ...] | None = None  # of the predictions
    repeated: int = 0
    pass_number: int = 0


@dataclass
class State:
    """Counters, clocks, registries. Doors read and write it; nothing else does."""

    writer: Writer
    level: str
    places: Places = field(default_factory=Places)
    began: float = field(default_factory=time.perf_counter)
    off: bool = False
    n: int = 0
    window: Window = field(default_factory=Window)
    events: list[Event] = field(default_factory=list)
    patterns: dict[tuple[Event, ...], int] = field(default_factory=dict)
    pending: list[Forward] = field(default_factory=list)
    models: dict[int, "Known"] = field(default_factory=dict)  # by id() of a module; verified on use
    optimizers: dict[int, Any] = field(default_factory=dict)
    schedulers: dict[int, Any] = field(default_factory=dict)
    loaders: dict[int, Any] = field(default_factory=dict)
    ids: dict[str, int] = field(default_factory=dict)  # kind → last id given
    rows: "Rows" = field(default=None)  # type: ignore[assignment]
    passes: Any = None
    tokens: Any = None
    optimizer_ids: Memory = field(default_factory=Memory)  # the object → its id
    scheduler_ids: Memory = field(default_factory=Memory)
    loader_ids: Memory = field(default_factory=Memory)
    dataset_ids: Memory = field(default_factory=Memory)
    iterator_loaders: Memory = field(default_factory=Memory)
    told: dict[Any, Any] = field(default_factory=dict)
    usual: dict[Any, int] = field(default_factory=dict)  # how often in a row a backward reached such a call
    origins: dict[Any, str] = field(default_factory=dict)  # places as they stand in a line
    unfolded: dict[tuple[Event, ...], int] = field(default_factory=dict)  # events as they came → pattern
    loads: list[Any] = field(default_factory=list)
    last: Callable[[], Any] = field(default=lambda: None)  # the last training call, while its graph lives
    reached: Any = None  # the one that the last backward reached, until the step is over
    nonfinite_told: bool = False
    paused: bool = False  # a replay is running: nothing of it is recorded
    logging: bool = False  # a logger was called, and calls others
    evaluating: bool = False  # the last root call built no graph
    mode: bool | None = None  # of the model that was called last
    started: float = field(default_factory=time.time)
    count_tensors_at: float = 0.0
    world_size: int = 1
    rank: int = 0
    begin_training: Callable[[], None] = field(default=lambda: None)
    loader: int | None = None  # the one that served last
    served: tuple[tuple[Any, ...], ...] = ()  # tensors of its last two batches, the newest first; not kept
    pass_number: int = 0
    backwards: int = 0
    norms_s: float = 0.0  # own time
    layers_s: float = 0.0
    evaluating_s: float = 0.0
    own_s: float = 0.0
    presumed: Any = None  # mode and rows of a call that needs no look, until a backward comes
    step_ended: float = 0.0
    on_step: list[Callable[[int], None]] = field(default_factory=list)
    keep_open: Callable[[], None] = field(default=lambda: None)  # look after doors that others may close
    give_up: Callable[[BaseException], None] = field(default=lambda error: None)
    counts: dict[Any, int] = field(default_factory=dict)  # how often something was written
    metrics: dict[tuple[str, int], int] = field(default_factory=dict)  # name and line → values so far
    latest: dict[str, tuple[int, float]] = field(default_factory=dict)  # name → step and value noted last
    scale: float | None = None
    deep: bool = False

    def put(self, item: Any) -> None:
        self.writer.put(item)

    def new_id(self, kind: str) -> int:
        self.ids[kind] = self.ids.get(kind, 0) + 1
        return self.ids[kind]

    def now(self) -> float:
        return time.perf_counter() - self.began

    def event(self, name: str, number: int, line: int) -> None:
        self.events.append((name, number, line))
        if len(self.events) > LONG:
            self.events = [*folded(self.events)]

    def event_here(self, name: str, number: int) -> Place:
        place = self.places.here()
        self.events.append((name, number, place[1]))
        return place

    def close_pattern(self) -> int:
        """The number of the pattern of the events since the last step; a new one is written."""
        came, self.events = tuple(self.events), []
        number = self.unfolded.get(came)
        if number is not None:
            return number
        events = folded(came)
        number = self.patterns.get(events)
        if number is None:
            if len(self.patterns) >= MOST_PATTERNS:
                return 0
            number = len(self.patterns) + 1
            self.patterns[events] = number
            self.put(Pattern(number, events))
        if len(came) < LONGEST_STRETCH * 4 and len(self.unfolded) < MOST_PATTERNS:
            self.unfolded[came] = number
        return number

    def next_window(self) -> None:
        """Decide what the next step can afford to measure, so that Sleuth's own share stays small."""
        self.window = Window()
        early = self.deep or self.n < FIRST_STEPS
        if self.n == FIRST_STEPS:
            self.norms_s = self.layers_s = 0.0  # first calls are slow and say nothing about later ones
        norms, layers = (FULL_NORMS, FULL_LAYERS) if self.level == "full" else (NORMS, LAYERS)
        self.window.sampled = early or self.affords(self.layers_s, layers)
        self.window.measured = early or self.window.sampled or self.affords(self.norms_s, norms)

    def affords(self, spent: float, share: float) -> bool:
        """Whether what was spent on a kind of measurement is still within its share of the time."""
        return spent < share * (time.perf_counter() - self.began) + GRACE

    def use_up_grace(self) -> None:
        """From here on every measurement has to fit its share, as late in a long run."""
        self.began = time.perf_counter()
        self.norms_s = self.layers_s = self.evaluating_s = GRACE

    def seldom(self, key: Any, first: int) -> bool:
        """True the first few times, then ever more rarely: at powers of two."""
        count = self.counts[key] = self.counts.get(key, 0) + 1
        return count <= first or count & (count - 1) == 0

    def let_go(self) -> None:
        """Hold nothing of the script any more."""
        self.pending, self.served, self.window = [], (), Window()
        self.last, self.reached = lambda: None, None
        if self.tokens is not None:
            self.tokens.let_go()
        for held in self.optimizers.values():
            held.before = []

    def trouble(self, text: str) -> None:
        self.put(Trouble(text))


def folded(events: list[Event] | tuple[Event, ...]) -> tuple[Event, ...]:
    """The same events with each stretch that repeats at once written once, followed by ("times", k, 0)."""
    result: list[Event] = []
    at = 0
    while at < len(events):
        length, times = _repetition(events, at)
        result += events[at : at + length]
        if times > 1:
            result.append(("times", times, 0))
        at += length * times
    return tuple(result)


LONGEST_STRETCH = 12  # events of one evaluation batch or one micro-batch


def _repetition(events: list[Event] | tuple[Event, ...], at: int) -> tuple[int, int]:
    """The length of the stretch that starts here and repeats over the most events, and how often."""
    best = (1, 1)
    for length in range(1, min(LONGEST_STRETCH, (len(events) - at) // 2) + 1):
        times = 1
        while events[at : at + length] == events[at + length * times : at + length * (times + 1)]:
            times += 1
        if times > 1 and length * times > best[0] * best[1]:
            best = (length, times)
    return best

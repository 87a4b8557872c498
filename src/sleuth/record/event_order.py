"""The order of events between one optimizer step and the next: who was cleared, filled, clipped, and when."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from sleuth.finding import Where
from sleuth.record.questions import Course, holdings, where_event

if TYPE_CHECKING:
    from sleuth.record.entries import Line, Record, Scheduler, Step

Mark = tuple[str, int, "Line"]
CLEARS = ("zero_grad", "zero_grad_model")


def events(record: "Record", step: "Step") -> tuple[Mark, ...]:
    """What led to this step, the step itself left out."""
    pattern = record.patterns.get(step.pattern)
    if pattern is None:
        return ()
    return tuple(event for event in pattern.events if event[0] not in ("step", "times"))


def after_last_step(record: "Record") -> tuple[Mark, ...]:
    """What happened after the last step until the end: all of it, where there was no step."""
    pattern = record.patterns.get(record.end.pattern) if record.end is not None else None
    return pattern.events if pattern is not None else ()


def names(record: "Record", step: "Step") -> list[str]:
    return [name for name, _, _ in events(record, step)]


def share(record: "Record", course: Course, holds: Callable[[tuple[Mark, ...]], bool]) -> float:
    """Of the steps with a known pattern, the share whose events fulfil this; the first step aside."""
    counted = Counter(step.pattern for step in course.steps[1:] if step.pattern in record.patterns)
    total = sum(counted.values())
    whole = {number: record.patterns[number].events for number in counted}
    seen = {
        number: tuple(event for event in found if event[0] not in ("step", "times"))
        for number, found in whole.items()
    }
    return sum(count for number, count in counted.items() if holds(seen[number])) / total if total else 0.0


def last(found: Iterable[Mark], *wanted: str) -> int:
    """Place of the last event of these names, -1 without one."""
    return max((place for place, (name, _, _) in enumerate(found) if name in wanted), default=-1)


def first(found: Iterable[Mark], *wanted: str) -> int:
    return min((place for place, (name, _, _) in enumerate(found) if name in wanted), default=-1)


def line_of(record: "Record", course: Course, *wanted: str) -> "Line":
    """The commonest line of such an event."""
    lines = Counter(
        line
        for step in course.steps[:200]
        for name, _, line in events(record, step)
        if name in wanted and line
    )
    return lines.most_common(1)[0][0] if lines else 0


def clears(record: "Record", optimizer: int) -> Callable[[Mark], bool]:
    """Whether an event empties the gradients of this optimizer's parameters."""
    models = {
        int(number) for seen in holdings(record, optimizer) for number, held in seen.of_models.items() if held
    }

    def empties(event: Mark) -> bool:
        name, number, _ = event
        return (name == "zero_grad" and number == optimizer) or (
            name == "zero_grad_model" and (number in models or not models)
        )

    return empties


def occurrences(record: "Record", name: str) -> "Iterator[tuple[Step, Mark]]":
    """Every event of that name with the step it led to."""
    for step in record.steps:
        for event in events(record, step):
            if event[0] == name:
                yield step, event


def calls_of(record: "Record", plan: "Scheduler") -> tuple[int, int, Where | None]:
    """How often a schedule was called, in how many steps of its optimizer, and where first. A library that
    calls everything from one line of the user's (`trainer.fit`) leaves only where it was made."""
    called = [
        (step, line) for step, (_, number, line) in occurrences(record, "scheduler") if number == plan.id
    ]
    taken = sum(step.optimizer == plan.optimizer and step.n >= plan.n for step in record.steps)
    first = next(((step, line) for step, line in called if line != step.line), None)
    return len(called), taken, where_event(*first) if first is not None else None

"""Batches that a program cuts by hand, one piece of the rows after the other."""

from collections.abc import Iterator, Sequence

from sleuth.source.flow import keeps_numbers, possible, root, subject
from sleuth.source.interpreter.values import Call, Collection, Loop, Table, Value
from sleuth.source.program import Program
from sleuth.source.topics.splits import first_key

# Wrappers that hand on the turns of a loop in their order, and while it runs: a list could be mixed before.
_HANDS_ON = frozenset(
    "builtins.enumerate builtins.iter tqdm.tqdm tqdm.auto.tqdm tqdm.notebook.tqdm rich.progress.track".split()
)


def cuts_in_order(program: Program, loop: Loop) -> Iterator[Call]:
    """`x[i : i + b]` for i in steps of b: in the loop itself, or in the generator that it goes through."""
    counter = root(loop.over)
    if _in_steps(counter):
        inside = (item for item in program.calls("[]") if loop in item.context.loops)
        yield from (item for item in inside if (start := _start(item)) and root(start.args[0]) is counter)
    for made in _generators(loop.over):
        yield from (
            item for item in _pieces(made) if (start := _start(item)) and _in_steps(root(start.args[0]))
        )


def _in_steps(counter: Value | None) -> bool:
    return isinstance(counter, Call) and counter.op == "builtins.range" and len(counter.args) == 3


def _generators(over: Value | None) -> Iterator[Collection]:
    for option in possible(over):
        if isinstance(option, Collection) and option.kind == "generator":
            yield option
        elif isinstance(option, Call) and option.op in _HANDS_ON and option.args:
            yield from _generators(option.args[0])


def _pieces(served: Value) -> Iterator[Call]:
    """What a batch is made of, seen through tuples and changes of layout, device and type."""
    for part in possible(served):
        if isinstance(part, Collection):
            for item in part.items:
                yield from _pieces(item)
        elif isinstance(part, Table):
            for item in part.items.values():
                yield from _pieces(item)
        elif isinstance(part, Call) and part.op == "[]":
            yield part
        elif isinstance(part, Call) and keeps_numbers(part) and (inner := subject(part)) is not None:
            yield from _pieces(inner)


def _start(item: Call) -> Call | None:
    """The turn of a loop at which a slice of rows begins."""
    cut = root(first_key(item.args[1])) if len(item.args) == 2 else None
    ends: Sequence[Value] = cut.items if isinstance(cut, Collection) and cut.kind == "slice" else ()
    if isinstance(cut, Call) and cut.op == "builtins.slice":
        ends = cut.args
    start = root(ends[0]) if len(ends) == 2 else None
    return start if isinstance(start, Call) and start.op == "next" and start.args else None

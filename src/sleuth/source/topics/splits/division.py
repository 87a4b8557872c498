"""The splits of a program and the index that finds their parts."""

from collections.abc import Iterator
from functools import cached_property

from sleuth.quick_dataclass import dataclass, field
from sleuth.source.flow import literal, root
from sleuth.source.interpreter.values import Call, Collection, Constant, Value
from sleuth.source.program import Program
from sleuth.source.topics.splits.rows import (
    bare,
    container,
    first_key,
    frame,
    identity,
    is_data,
    row_parents,
    selects_rows,
)


@dataclass(frozen=True)
class Split:
    """One division of data. `shuffled` is None where that is not known."""

    call: Call
    shuffled: bool | None
    whole: tuple[Value, ...]
    train: tuple[Value, ...] = ()
    held_out: tuple[Value, ...] = ()
    how: str = ""

    @property
    def line(self) -> int:
        return getattr(self.call.node, "lineno", 0)


@dataclass(frozen=True, eq=False)
class Splits:
    """The splits of a program and the index that finds their parts."""

    program: Program
    found: list[Split] = field(default_factory=list)

    @cached_property
    def items_of(self) -> dict[int, list[Call]]:
        """`x[...]` by x, whether x is an array or a frame's `iloc`."""
        index: dict[int, list[Call]] = {}
        for call in self.program.calls("[]"):
            index.setdefault(id(frame(call.args[0])), []).append(call)
        return index

    @cached_property
    def items_by(self) -> dict[int, list[Call]]:
        """`x[key]` and `Subset(x, key)` by key."""
        index: dict[int, list[Call]] = {}
        for call in self.program.calls("[]", "torch.utils.data.Subset"):
            if len(call.args) == 2 and not isinstance(call.args[1], Constant):
                index.setdefault(id(bare(first_key(call.args[1]))), []).append(call)
        return index

    @cached_property
    def writes(self) -> dict[int, list[Call]]:
        """`x[key] = value` by x."""
        index: dict[int, list[Call]] = {}
        for call in self.program.calls("[]="):
            index.setdefault(id(root(frame(call.receiver))), []).append(call)
        for call in self.program.calls(".fillna"):
            if literal(call.keywords.get("inplace")) is True:
                index.setdefault(id(root(container(call.receiver))), []).append(call)
        return index

    @cached_property
    def parts(self) -> frozenset[int]:
        """Everything that is one part of some split."""
        return frozenset(id(part) for split in self.found for part in (*split.train, *split.held_out))

    def rows(
        self, value: Value | None, whole: bool = False, before: int | None = None, joined: bool = True
    ) -> Iterator[Value]:
        """The value and what its rows came from; with `whole`, only as long as no row was left out.

        Without `joined`, the walk ends where several arrays were put together. What was written into a
        container earlier than `before` counts as its content.
        """
        queue: list[Value] = [value] if value is not None else []
        seen: set[int] = set()
        while queue and len(seen) < 600:
            here = queue.pop(0)
            if id(here) in seen:
                continue
            seen.add(id(here))
            yield here
            if whole and isinstance(here, Call) and selects_rows(here):
                continue
            if not joined and isinstance(here, Collection) and len(here.items) > 1:
                continue
            queue.extend(row_parents(here))
            if before is not None:
                for write in self.writes.get(id(here), ()):
                    if write.order < before:
                        queue.append(write.args[1] if write.op == "[]=" else write)

    def is_part(self, value: Value | None) -> bool:
        """Whether the rows came out of a split."""
        return any(id(here) in self.parts for here in self.rows(value))

    def share_rows(self, fitted: Value | None, split: Split) -> bool:
        """Whether a value holds all rows of what a split divides."""
        mine = {identity(here) for here in self.rows(fitted, whole=True) if is_data(here)}
        if any(id(here) in self.parts for here in self.rows(fitted, whole=True)):
            return False
        return any(
            identity(here) in mine for data in split.whole for here in self.rows(data) if is_data(here)
        )

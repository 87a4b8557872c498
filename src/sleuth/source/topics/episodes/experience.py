"""What a program does with an environment: the way of each part of a step to where it is used."""

import ast
from collections.abc import Iterator
from functools import cached_property

from sleuth.quick_dataclass import dataclass, field
from sleuth.source.flow import ancestry, keeps_numbers, literal, number, parents, possible, root, subject
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Constant,
    Either,
    Instance,
    Table,
    Value,
)
from sleuth.source.program import Program
from sleuth.source.topics.episodes.names import by_name, by_word
from sleuth.source.topics.episodes.steps import EnvStep, steps_in
from sleuth.source.topics.episodes.targets import (
    Bootstrap,
    arms_of,
    computation,
    discounted,
    is_average,
    table_behind,
)

ENDS = frozenset({"terminated", "truncated", "done", "done?"})
_STORES = frozenset(
    ".append .appendleft .push .add .put .store .remember .save .insert .record .extend .add_transition "
    ".cache".split()
)
_CONVERTS = frozenset(
    "torch.tensor torch.as_tensor torch.Tensor torch.FloatTensor torch.BoolTensor torch.LongTensor "
    "torch.from_numpy torch.stack torch.cat torch.vstack torch.hstack torch.logical_not torch.flip "
    "torch.atleast_1d numpy.array numpy.asarray numpy.stack numpy.concatenate numpy.float32 "
    "numpy.logical_not numpy.invert numpy.vstack builtins.float builtins.int builtins.bool builtins.list "
    "builtins.tuple builtins.reversed builtins.iter next not ~ neg -".split()
)
_COMBINES = frozenset(
    "* + - | & / torch.logical_or numpy.logical_or torch.logical_and numpy.logical_and torch.maximum "
    "numpy.maximum builtins.max builtins.min builtins.any torch.max".split()
)
_OWN_METHODS = frozenset(
    ".astype .copy .logical_not .tolist .bool .mean .sum .flip .values .item .repeat .logical_or .__or__ "
    ".byte .unsqueeze .pin_memory".split()
)


@dataclass(eq=False)
class Episodes:
    """What a program does with an environment. Worked out lazily: most files have none."""

    program: Program
    _known: dict[int, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def steps(self) -> tuple[EnvStep, ...]:
        return tuple(steps_in(self.program))

    @cached_property
    def _fields(self) -> dict[int, str]:
        return {
            id(value): name
            for step in self.steps
            for name, values in step.fields.items()
            for value in values
            if name != "info"
        }

    @cached_property
    def _writes(self) -> dict[int, list[Value]]:
        """What was put into a container, by container: `dones[t] = done`, `flags.append(done)`."""
        found: dict[int, list[Value]] = {}
        for call in self.program.calls("[]="):
            for holder in possible(call.receiver):
                found.setdefault(id(holder), []).append(call.args[-1])
        for call in self.program.calls(*_STORES):
            if len(call.args) == 1:
                for holder in possible(call.receiver):
                    found.setdefault(id(holder), []).append(call.args[0])
        return found

    @cached_property
    def rows(self) -> tuple[tuple[Call, tuple[Value, ...]], ...]:
        """Rows of experience put into a buffer, as a tuple or as arguments, with the call that does it."""
        found = []
        for call in self.program.calls(*_STORES):
            row: tuple[Value, ...] = (*call.args, *call.keywords.values())
            if len(call.args) == 1:
                single = root(call.args[0])
                if isinstance(single, Collection) and not single.open:
                    row = tuple(single.items)
                elif isinstance(single, Call) and not single.result and len(single.args) >= 3:
                    row = (*single.args, *single.keywords.values())  # Transition(s, a, r, s2, done)
                elif isinstance(single, Instance):  # of a NamedTuple or dataclass
                    row = tuple(single.attributes.values())
            if len(row) >= 3 and any(self._fields.get(id(part)) for item in row for part in possible(item)):
                found.append((call, row))
        return tuple(found)

    @cached_property
    def _named_rows(self) -> list[dict[str, Value]]:
        """Rows whose places have names: namedtuples and the project's own NamedTuples and dataclasses."""
        found: list[dict[str, Value]] = []
        for call, _ in self.rows:
            single = root(call.args[0]) if len(call.args) == 1 else None
            if isinstance(single, Instance):
                found.append(single.attributes)
            elif isinstance(single, Call) and isinstance(kind := single.receiver, Call):
                if kind.op.endswith("namedtuple"):
                    found.append(dict(zip(_field_names(kind), single.args, strict=False)) | single.keywords)
        return found

    @cached_property
    def _tables(self) -> list[Table]:
        """Dicts that hold experience: rows put into a buffer, or columns of it."""
        held = [call.args[0] for call in self.program.calls(*_STORES) if len(call.args) == 1]
        held += [call.receiver for call in self.program.calls(".items") if call.receiver is not None]
        return [table for value in held for table in possible(value) if isinstance(table, Table)]

    def kinds(self, value: Value | None) -> frozenset[str]:
        """Which parts of a step a value holds, seen through conversions, arithmetic of flags and storage."""
        if value is None:
            return frozenset()
        if id(value) not in self._known:
            self._known[id(value)] = frozenset()  # a cycle adds nothing
            self._known[id(value)] = frozenset(self._walk(value))
        return self._known[id(value)]

    def _walk(self, start: Value) -> Iterator[str]:
        queue, seen = [start], set[int]()
        while queue and len(seen) < 200:
            here = queue.pop()
            if id(here) in seen:
                continue
            seen.add(id(here))
            name = self._fields.get(id(here))
            if name is not None:
                yield name
                continue
            before = self._before(here)
            queue.extend(before)
            if not before:
                yield from by_name(here)

    def _before(self, value: Value) -> list[Value]:
        if isinstance(value, Either):
            return list(value.options)
        if isinstance(value, Carried):
            return [part for part in (value.initial, value.final) if part is not None]
        if isinstance(value, Collection):
            return list(value.items) if value.kind in ("list", "generator") or value.open else []
        if not isinstance(value, Call):
            return []
        if value.result is not None:
            return [value.result]
        if value.op == "[]":
            return self._picked(value)
        if value.op.startswith("@"):
            return self._by_column(value)
        if value.op in _CONVERTS or value.op in _COMBINES:
            return [part for part in value.args if not isinstance(part, Constant)]
        if value.op == "builtins.zip":
            return []
        if value.op.startswith(".") and (value.op in _OWN_METHODS or keeps_numbers(value)):
            own = [value.receiver] if value.receiver is not None else []
            return own + [part for part in value.args if value.op in (".logical_or", ".__or__")]
        if keeps_numbers(value):
            inner = subject(value)
            return [inner] if inner is not None else []
        return list(self._writes.get(id(value), ()))

    def _picked(self, value: Call) -> list[Value]:
        """An item: of a row by its place, of an array by what was written into it."""
        container, place = value.args[0], literal(value.args[1])
        width = len(value.node.elts) if isinstance(value.node, ast.Tuple | ast.List) else 0
        if isinstance(place, int) and width >= 3:
            rows = [row for _, row in self.rows if len(row) == width]
            return [row[place] for row in rows]
        if isinstance(place, str):
            columns = [table.items[place] for table in self._tables if place in table.items]
            return columns or self._column(place)
        written = [part for holder in possible(container) for part in self._writes.get(id(holder), ())]
        return [*written, container] if width == 0 else []

    def _by_column(self, value: Call) -> list[Value]:
        return self._column(value.op[1:]) if value.receiver is not None else []

    def _column(self, name: str) -> list[Value]:
        """`batch.dones`: the column of the stored rows whose kind fits the name."""
        named = [row[name] for row in self._named_rows if name in row]
        if named:
            return named
        wanted = by_word(name)
        columns = [
            item
            for _, row in self.rows
            for item in row
            if {kind.rstrip("?") for kind in self.kinds(item)}
            & ({"terminated", "truncated", "done"} if wanted == "done" else {wanted})
        ]
        return columns if wanted else []

    @cached_property
    def bootstraps(self) -> tuple[Bootstrap, ...]:
        return tuple(self._bootstraps())

    def _bootstraps(self) -> Iterator[Bootstrap]:
        for call in self.program.calls("+"):
            for immediate, later in (call.args, call.args[::-1]):
                found = [
                    Bootstrap(call, immediate, discount, rest)
                    for term in (later, *arms_of(later))
                    for discount, rest in discounted(term)
                    if not is_average(immediate, discount)
                ]
                if found:
                    yield found[0]
                    break

    def reads_of_its_table(self, target: Bootstrap) -> list[Call]:
        """Where the later value is looked up in a table that the target itself teaches: `Q[s2].max()`."""
        looked = [
            here
            for factor in target.factors
            for here in computation(factor)
            if isinstance(here, Call) and here.op == "[]" and self._is_place_of_state(here.args[1])
        ]
        taught = [
            table_behind(call.receiver)
            for call in (self.program.calls("[]=") if looked else ())
            if any(here is target.call for here in ancestry(call.args[-1], 200))
        ]
        return [read for read in looked if any(table_behind(read) is table for table in taught)]

    def _is_place_of_state(self, key: Value) -> bool:
        """Whether an index is made from an observation; a counter of steps is not."""
        queue, seen, found = [key], set[int](), False
        while queue and len(seen) < 80:
            here = queue.pop()
            if id(here) in seen:
                continue
            seen.add(id(here))
            if isinstance(here, Call) and here.op in ("builtins.range", "builtins.len"):
                return False
            if self._fields.get(id(here)) == "observation":
                found = True
            elif id(here) not in self._fields:
                queue.extend(parents(here))
        return found

    @cached_property
    def spans_ends(self) -> bool:
        """Whether one rollout runs over ends of episodes: reset and step stand in the same innermost loop."""
        resets = [call for call in self.program.calls(".reset") if call.context.loops]
        return any(
            step.call.context.loops and step.call.context.loops[-1] is reset.context.loops[-1]
            for step in self.steps
            for reset in resets
        )

    def is_reward(self, value: Value) -> str:
        """ "reward" when it comes from a step, "reward?" when a name says so, "" otherwise."""
        kinds = self.kinds(value)
        if "reward" in kinds:
            return "reward"
        return "reward?" if "reward?" in kinds else ""

    def feeds(self, source: Value, value: Value | None) -> bool:
        """Whether a value is made from another by conversion, arithmetic, indexing or storage."""
        queue: list[Value] = [value] if value is not None else []
        seen: set[int] = set()
        while queue and len(seen) < 200:
            here = queue.pop()
            if here is source:
                return True
            if id(here) not in seen:
                seen.add(id(here))
                queue.extend(self._before(here))
        return False

    def ends_come_into(self, value: Value) -> bool:
        """Whether an end of the episode, or what may stand for it, takes part in computing a value."""
        for here in computation(value):
            if self.kinds(here) & ENDS or id(here) in self._writes:
                return True
            if isinstance(here, Either) and any(number(option) == 0 for option in here.options):
                return True
        return False


def read_episodes(program: Program) -> Episodes:
    return program.about(Episodes)


def _field_names(kind: Call) -> list[str]:
    """The names in `namedtuple("Row", "s a r")` or `namedtuple("Row", ["s", "a", "r"])`."""
    given = root(kind.argument(1, "field_names"))
    if isinstance(given, Collection):
        return [str(literal(item)) for item in given.items]
    text = literal(given)
    return text.replace(",", " ").split() if isinstance(text, str) else []

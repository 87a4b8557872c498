"""Reinforcement learning in source: steps of an environment, what becomes of their results, and targets.

A step hands out an observation, a reward and flags. They travel: through tensors, through rows of a replay
buffer (followed by their place in the row), through arrays filled item by item. `Episodes.kinds` says which
of them a value is in the end. A kind that rests on a name alone ends in `?`.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from sleuth.facts import torch_api
from sleuth.facts.flow import ancestry, keeps_numbers, literal, number, parents, possible, root, subject
from sleuth.facts.interpreter.values import (
    Arm,
    Call,
    Carried,
    Class,
    Collection,
    Constant,
    Context,
    Either,
    Function,
    Instance,
    Super,
    Table,
    Unknown,
    Value,
)
from sleuth.facts.program import Program
from sleuth.facts.words import Pattern

FIELDS = {
    3: ("observation", "reward", "done"),
    4: ("observation", "reward", "done", "info"),
    5: ("observation", "reward", "terminated", "truncated", "info"),
}
ENDS = frozenset({"terminated", "truncated", "done", "done?"})

_FLAG = Pattern(
    r"(^|_)(not_?|non_?)?(next_?)?(done|term|terminal|terminate|terminated|termination|finished|final)s?(_|$)",
    re.I,
)
_REWARD = Pattern(r"(^|_)(rewards?|rews?|r|rs)(_|$)", re.I)
_OBSERVATION = Pattern(r"(^|_)(obs|observations?|states?|s|s2|sp|next|ns|nobs)(_|$)", re.I)
_DISCOUNT = Pattern(r"gamma|discount", re.I)
_ENVIRONMENT = Pattern(r"(^|[._])(train_|eval_|test_)?env(ironment|iron)?s?\d?$|game|simulator|world", re.I)

_NETWORK = Pattern(r"net|critic|value|(^|[.@_])[qv]\d?$|q_|_q|target|policy|model|agent", re.I)

_STORES = frozenset(
    ".append .appendleft .push .add .put .store .remember .save .insert .record .extend .add_transition "
    ".cache".split()
)
_CONVERTS = frozenset(
    "torch.tensor torch.as_tensor torch.Tensor torch.FloatTensor torch.BoolTensor torch.LongTensor "
    "torch.from_numpy torch.stack torch.cat torch.vstack torch.hstack torch.logical_not torch.flip "
    "torch.atleast_1d numpy.array numpy.asarray numpy.stack numpy.concatenate"
    " numpy.float32 numpy.logical_not "
    "numpy.invert "
    "numpy.vstack builtins.float builtins.int builtins.bool builtins.list builtins.tuple builtins.reversed "
    "builtins.iter next not ~ neg -".split()
)
_COMBINES = frozenset(
    "* + - | & / torch.logical_or numpy.logical_or torch.logical_and numpy.logical_and torch.maximum "
    "numpy.maximum builtins.max builtins.min builtins.any torch.max".split()
)
_OWN_METHODS = frozenset(
    ".astype .copy .logical_not .tolist .bool .mean .sum .flip .values .item .repeat .logical_or .__or__ "
    ".byte .unsqueeze .pin_memory".split()
)
WRAPPERS = tuple(
    f"{home}.{name}"
    for home in ("gymnasium", "gym", "gymnasium.core", "gym.core")
    for name in ("Wrapper", "RewardWrapper")
)
AUTORESET = Pattern(r"vec|Vec|auto_?reset|AutoReset|Autoreset", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class EnvStep:
    """One call of an environment's `step`; `fields` holds each part of what it returned."""

    call: Call
    environment: Value | None
    width: int
    fields: dict[str, tuple[Value, ...]]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """`reward + gamma * (...) * next value`: the sum, its immediate part and the factors of the later one."""

    call: Call
    immediate: Value
    discount: Value
    factors: tuple[Value, ...]


@dataclass(eq=False)
class Episodes:
    """What a program does with an environment. Worked out lazily: most files have none."""

    program: Program
    _known: dict[int, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def steps(self) -> tuple[EnvStep, ...]:
        return tuple(_steps(self.program))

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
                yield from _by_name(here)

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
        wanted = _by_word(name)
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
                    for term in (later, *_arms_of(later))
                    for discount, rest in _discounted(term)
                    if not _is_average(immediate, discount)
                ]
                if found:
                    yield found[0]
                    break

    def reads_of_its_table(self, target: Bootstrap) -> list[Call]:
        """Where the later value is looked up in a table that the target itself teaches: `Q[s2].max()`."""
        looked = [
            here
            for factor in target.factors
            for here in _computation(factor)
            if isinstance(here, Call) and here.op == "[]" and self._is_place_of_state(here.args[1])
        ]
        taught = [
            _table(call.receiver)
            for call in (self.program.calls("[]=") if looked else ())
            if any(here is target.call for here in ancestry(call.args[-1], 200))
        ]
        return [read for read in looked if any(_table(read) is table for table in taught)]

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
        for here in _computation(value):
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


def product(value: Value | None, depth: int = 8) -> Iterator[Value]:
    """The factors of a product."""
    if isinstance(value, Call) and value.result is not None and depth:
        yield from product(value.result, depth - 1)
    elif isinstance(value, Call) and value.op in ("*", ".mul", "torch.mul") and depth:
        parts = (value.receiver, *value.args) if value.op == ".mul" else value.args
        for part in parts:
            yield from product(part, depth - 1)
    elif value is not None:
        yield value


def _arms_of(later: Value) -> list[Value]:
    """`0.0 if done else gamma * v`: what the branches give, the values of more than one way only."""
    return possible(later) if isinstance(later, Either) else []


def _discounted(term: Value) -> Iterator[tuple[Value, tuple[Value, ...]]]:
    """A product's discount and its other factors; a small number counts where it is called gamma."""
    factors = list(product(term))
    if len(factors) < 2:
        return
    called = any(_DISCOUNT.search(word) for word in words(term.node)) if term.node is not None else False
    for factor in factors:
        known = number(factor)
        if is_discount(factor) or (called and known is not None and 0.0 < known < 1.0):
            yield factor, tuple(other for other in factors if other is not factor)
            return


def _table(value: Value | None) -> Value | None:
    """The table behind `Q[s]`, `Q[s][a]`, `self.q[s, a]`."""
    settled = root(value)
    while isinstance(settled, Call) and settled.op == "[]":
        settled = root(settled.args[0])
    return settled


def _is_average(immediate: Value, discount: Value) -> bool:
    """`0.1 * new + 0.9 * old`, `(1 - beta) * new + beta * old`: smoothing, not discounting."""
    for factor in product(immediate):
        weight, kept = number(factor), number(discount)
        if weight is not None and kept is not None and abs(weight + kept - 1) < 1e-6:
            return True
        if isinstance(factor, Call) and factor.op == "-" and factor.args and number(factor.args[0]) == 1:
            return is_discount(factor.args[1])
    return False


def is_discount(value: Value) -> bool:
    """A literal between one half and one, or something called gamma."""
    known = number(value)
    if known is not None:
        return 0.5 <= known < 1.0
    if isinstance(value, Call) and value.op == "**" and value.args:  # gamma ** n
        return is_discount(value.args[0])
    settled = root(value)
    if isinstance(settled, Unknown):
        return bool(_DISCOUNT.search(settled.name))
    return isinstance(settled, Call) and settled.op.startswith("@") and bool(_DISCOUNT.search(settled.op))


def network_calls(value: Value | None) -> Iterator[Call]:
    """The applications of networks from which a value was computed."""
    return (here for here in _computation(value) if isinstance(here, Call) and is_network_call(here))


def _computation(value: Value | None) -> Iterator[Value]:
    """A value and what it was computed from, back to the networks applied and no further."""
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue and len(seen) < 100:
        here = queue.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        if isinstance(here, Either | Carried):
            queue.extend(possible(here))
        elif isinstance(here, Call) and not is_network_call(here):
            made_from = here.args[:1] if here.op == "[]" else here.args  # an index is no part of a value
            before = (here.result,) if here.result is not None else (here.receiver, *made_from)
            queue.extend(part for part in before if part is not None)


def follows_time(value: Value) -> bool:
    """`values[t + 1]`, `values[1:]`: the next value of a trajectory, not a network on a next state."""
    for here in _computation(value):
        if isinstance(here, Call) and here.op == "[]" and len(here.args) == 2:
            key = here.args[1]
            if isinstance(key, Call) and key.op in ("+", "next"):
                return True
            if isinstance(key, Unknown | Carried) or (isinstance(key, Collection) and key.kind == "slice"):
                return True
    return False


def is_network_call(call: Call) -> bool:
    """A module applied; of objects that are made elsewhere, one that is called like a network."""
    if call.op.startswith(".") and call.args and isinstance(root(call.receiver), Unknown | Instance):
        return bool(_NETWORK.search(call.op))
    if call.op != "()" or not call.args:
        return False
    receiver = root(call.receiver)
    while isinstance(receiver, Call) and receiver.op in ("copy.deepcopy", "copy.copy") and receiver.args:
        receiver = root(receiver.args[0])  # a target network
    if torch_api.is_module(receiver):
        return not (isinstance(receiver, Call) and receiver.op.endswith("Loss"))
    if isinstance(receiver, Unknown):
        return bool(_NETWORK.search(receiver.name))
    return isinstance(receiver, Call) and receiver.op.startswith("@") and bool(_NETWORK.search(receiver.op))


def words(node: ast.AST) -> set[str]:
    """The names and attributes that a piece of syntax mentions."""
    return {
        part.id if isinstance(part, ast.Name) else part.attr
        for part in ast.walk(node)
        if isinstance(part, ast.Name | ast.Attribute)
    }


def tests(context: Context) -> Iterator[ast.expr]:
    """What the branches around a place asked."""
    for arm in context.arms:
        yield from _test(arm)


def _test(arm: Arm) -> Iterator[ast.expr]:
    if isinstance(arm.node, ast.If | ast.IfExp):
        yield arm.node.test


def names_end(text: str) -> bool:
    return bool(_FLAG.search(text))


def _by_word(name: str) -> str:
    if _FLAG.search(name):
        return "done"
    if _REWARD.search(name):
        return "reward"
    return "observation" if _OBSERVATION.search(name) else ""


def _by_name(value: Value) -> Iterator[str]:
    name = ""
    if isinstance(value, Unknown):
        name = value.name
    elif isinstance(value, Call) and value.op.startswith("@"):
        name = value.op[1:]
    elif isinstance(value, Call) and value.op == "[]":
        name = target_name(value) or str(literal(value.args[1]) or "")
    word = _by_word(name)
    if word:
        yield word + "?"


def target_name(call: Call) -> str:
    """The name that an item of an unpacked tuple got."""
    place = literal(call.args[1]) if call.op == "[]" else None
    if isinstance(call.node, ast.Tuple | ast.List) and isinstance(place, int) and place < len(call.node.elts):
        return getattr(call.node.elts[place], "id", "")
    return ""


def _steps(program: Program) -> Iterator[EnvStep]:
    items: dict[int, list[Call]] = {}
    for item in program.calls("[]"):
        if isinstance(literal(item.args[1]), int):
            for container in (item.args[0], *possible(item.args[0])):
                items.setdefault(id(container), []).append(item)
    for call in (*program.calls(".step"), *program.calls("def")):
        environment = _environment(call)
        if environment is None:
            continue
        results = [call] if call.result is None else [call.result, *possible(call.result)]
        picks = [item for result in results for item in items.get(id(result), ())]
        made = [result for result in results if isinstance(result, Collection) and not result.open]
        widths = {len(item.node.elts) for item in picks if isinstance(item.node, ast.Tuple | ast.List)}
        widths |= {len(result.items) for result in made}
        width = next(iter(widths)) if len(widths) == 1 else 0
        if width in FIELDS:
            yield EnvStep(call, environment, width, _parts(FIELDS[width], picks, made))


def _parts(names: tuple[str, ...], picks: list[Call], made: list[Collection]) -> dict[str, tuple[Value, ...]]:
    parts: dict[str, list[Value]] = {name: [] for name in names}
    for place, name in enumerate(names):
        parts[name] += [item for item in picks if literal(item.args[1]) == place]
        for row in made:
            parts[name].append(row.items[place])
    return {name: tuple(values) for name, values in parts.items()}


def _environment(call: Call) -> Value | None:
    """What a `step` belongs to, if it may be an environment."""
    if call.op == "def":
        function = call.receiver
        if not isinstance(function, Function) or not isinstance(function.bound, Instance):
            return None
        is_step = isinstance(function.definition, ast.FunctionDef) and function.definition.name == "step"
        return function.bound if is_step and function.bound.cls.member("reset") is not None else None
    if not call.args or isinstance(root(call.receiver), Instance):
        return None
    if isinstance(call.receiver, Super):  # a wrapper asks the environment inside it
        wrapper = root(call.receiver.instance)
        return call if isinstance(wrapper, Instance) and wrapper.cls.derives_from(*WRAPPERS) else None
    made = root(call.receiver)
    if isinstance(made, Call) and made.op.startswith(("gymnasium.", "gym.")):
        return made
    text = (
        ast.unparse(call.node.func.value)
        if isinstance(call.node, ast.Call) and isinstance(call.node.func, ast.Attribute)
        else ""
    )
    return (made or call) if _ENVIRONMENT.search(text) else None


def is_made_by_gym(environment: Value | None) -> bool:
    """One environment (not a vector of them) from `gym.make`, wrapped or not, that does not reset itself."""
    here, depth = root(environment), 0
    while isinstance(here, Call) and here.op.startswith(("gymnasium.", "gym.")) and depth < 8:
        if AUTORESET.search(here.op) or "autoreset" in here.keywords or "**" in here.keywords:
            return False
        if here.op in ("gymnasium.make", "gym.make"):
            return True
        here, depth = root(here.args[0]) if here.args else None, depth + 1
    return False


def inside_class(call: Call, *methods: str) -> bool:
    """Whether the code stands in a method of one of these names (a wrapper's own `step`)."""
    return any(
        isinstance(site.receiver, Function) and getattr(site.receiver.definition, "name", "") in methods
        for site in call.context.sites
    )


def own_step(environment: Value | None) -> ast.FunctionDef | None:
    """The `step` that the project wrote for an environment."""
    settled = root(environment)
    cls: Class | None = settled.cls if isinstance(settled, Instance) else None
    member = cls.member("step") if cls is not None else None
    definition = member.definition if isinstance(member, Function) else None
    return definition if isinstance(definition, ast.FunctionDef) else None

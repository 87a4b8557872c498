"""Steps of an environment: which calls are some, and what they hand out."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from sleuth.source.flow import literal, possible, root
from sleuth.source.interpreter.values import Call, Class, Collection, Function, Instance, Super, Value
from sleuth.source.program import Program
from sleuth.source.topics.episodes.names import names_end, words
from sleuth.source.word_search import Pattern

FIELDS = {
    3: ("observation", "reward", "done"),
    4: ("observation", "reward", "done", "info"),
    5: ("observation", "reward", "terminated", "truncated", "info"),
}
_ENVIRONMENT = Pattern(r"(^|[._])(train_|eval_|test_)?env(ironment|iron)?s?\d?$|game|simulator|world", re.I)
WRAPPERS = tuple(
    f"{home}.{name}"
    for home in ("gymnasium", "gym", "gymnasium.core", "gym.core")
    for name in ("Wrapper", "RewardWrapper")
)


class EnvStep(NamedTuple):
    """One call of an environment's `step`; `fields` holds each part of what it returned."""

    call: Call
    environment: Value | None
    width: int
    fields: dict[str, tuple[Value, ...]]


def steps_in(program: Program) -> Iterator[EnvStep]:
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


def inside_class(call: Call, *methods: str) -> bool:
    """Whether the code stands in a method of one of these names (a wrapper's own `step`)."""
    return any(
        isinstance(site.receiver, Function) and getattr(site.receiver.definition, "name", "") in methods
        for site in call.context.sites
    )


def begins_again(environment: Value | None) -> bool:
    """Whether a project's own `step` starts the next episode itself: it says `reset`, or it writes, where an
    episode has ended, what its `reset` writes, by itself or by a method that the two share."""
    step, reset = own_method(environment, "step"), own_method(environment, "reset")
    if step is None:
        return False
    if any("reset" in word for word in words(step)):
        return True
    if reset is None:
        return False
    shared = _own_calls(step) & _own_calls(reset)
    helpers = [own_method(environment, name) for name in shared]
    if any(helper is not None and _written(helper) for helper in helpers):
        return True
    return bool(_written_at_an_end(step) & _written(reset))


def _own_calls(method: ast.FunctionDef) -> set[str]:
    """The methods of its own object that a method calls."""
    return {
        part.func.attr
        for part in ast.walk(method)
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and _is_self(part.func.value)
    }


def _written(node: ast.AST) -> set[str]:
    """`self.x = ...`, `self.x[i] = ...`: the attributes that a piece of code sets."""
    targets = [
        target
        for part in ast.walk(node)
        if isinstance(part, ast.Assign)
        for whole in part.targets
        for target in (whole.elts if isinstance(whole, ast.Tuple) else [whole])
    ]
    held = [target.value if isinstance(target, ast.Subscript) else target for target in targets]
    return {part.attr for part in held if isinstance(part, ast.Attribute) and _is_self(part.value)}


def _written_at_an_end(step: ast.FunctionDef) -> set[str]:
    """What is set under `if done:`, or where a mask of ended episodes picks it: `self.x[done] = ...`."""
    found: set[str] = set()
    for part in ast.walk(step):
        if isinstance(part, ast.If) and any(map(names_end, words(part.test))):
            found |= {name for inner in part.body for name in _written(inner)}
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Subscript):
            if any(map(names_end, words(part.targets[0].slice))):
                found |= _written(part)
    return found


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def own_step(environment: Value | None) -> ast.FunctionDef | None:
    """The `step` that the project wrote for an environment."""
    return own_method(environment, "step")


def own_method(environment: Value | None, name: str) -> ast.FunctionDef | None:
    settled = root(environment)
    cls: Class | None = settled.cls if isinstance(settled, Instance) else None
    member = cls.member(name) if cls is not None else None
    definition = member.definition if isinstance(member, Function) else None
    return definition if isinstance(definition, ast.FunctionDef) else None

"""Where gradient flows: from a loss back to the modules, and the operations that cut the way."""

from collections.abc import Callable, Iterator
from functools import lru_cache

from sleuth.source.flow import ancestry, literal, parents, possible, root
from sleuth.source.interpreter.values import (
    Call,
    Collection,
    Constant,
    Either,
    Instance,
    Table,
    Unknown,
    Value,
)
from sleuth.source.loop import Event
from sleuth.source.program import Program
from sleuth.source.topics.modes import holds, identity, is_model, may_be_model, with_enclosing
from sleuth.source.word_search import Pattern

# Operations whose result is a plain value: somebody chose to leave the graph.
CUTS = frozenset(
    ".detach .detach_ @data .item .tolist .numpy .argmax .long .int .bool .argsort .nonzero torch.tensor "
    "torch.from_numpy torch.argmax torch.as_tensor torch.FloatTensor torch.Tensor torch.argsort "
    "jax.lax.stop_gradient".split()
)
# The same by the nature of the operation: nobody expects a gradient there.
_NO_DERIVATIVE = frozenset("== != < <= > >= is not in & | ~ // %".split()) | {"is not", "not in"}
# What only reads a size, a type or a place: not the numbers themselves.
SHAPE_ONLY = frozenset(
    ".size .dim .numel .new_zeros .new_ones .new_full .new_empty .get_device .element_size .stride "
    "@shape @device "
    "@dtype @ndim @requires_grad @grad_fn @grad @is_cuda builtins.len builtins.range builtins.isinstance "
    "torch.zeros_like torch.ones_like torch.rand_like torch.randn_like torch.full_like torch.empty_like "
    "torch.randint_like torch.zeros torch.ones torch.arange torch.randperm torch.randn torch.rand".split()
)


def is_cut(call: Call) -> bool:
    """Whether an operation's result has no history though its input may have one."""
    if call.op in ("torch.as_tensor", "torch.tensor") and not call.args:
        return False
    return call.op in CUTS or call.op in _NO_DERIVATIVE or call.op.startswith(("numpy.", "math."))


def picked(call: Call) -> Value | None:
    """The one item that `pair[1]` or unpacking takes out of a tuple that is known."""
    if call.op != "[]" or len(call.args) != 2:
        return None
    key = call.args[1]
    held = root(call.args[0])
    if isinstance(key, Constant) and isinstance(key.value, int) and isinstance(held, Collection):
        if not held.open and -len(held.items) <= key.value < len(held.items):
            return held.items[key.value]
    return None


def data_parents(value: Value) -> tuple[Value, ...]:
    """Where a value's numbers come from, gradient or not; sizes and modules' own weights left out."""
    if not isinstance(value, Call):
        return parents(value)
    if value.op in SHAPE_ONLY:
        return ()
    if value.result is not None:
        return (value.result,)
    if (item := picked(value)) is not None:
        return (item,)
    if value.op == "()":
        return (*value.args, *value.keywords.values())
    return parents(value)


def gradient_parents(value: Value) -> tuple[Value, ...]:
    """Where backward may go on from a value: everything but what is certainly cut."""
    if isinstance(value, Call) and value.result is None and (not value.context.grad or is_cut(value)):
        return ()
    return data_parents(value)


def sure_gradient_parents(value: Value) -> tuple[Value, ...]:
    """Where backward certainly goes on: what one branch cuts, or what could not be followed, ends the way."""
    if isinstance(value, Call) and value.op == "def" and value.result is None:
        return ()
    if isinstance(value, Either) and any(ends_graph(option) for option in possible(value)):
        return ()
    return gradient_parents(value)


def ends_graph(value: Value) -> bool:
    """Made without history: cut, computed while recording is off, or by a function that was not followed."""
    if isinstance(value, Collection):
        return any(ends_graph(item) for option in value.items for item in possible(option))
    if not isinstance(value, Call):
        return False
    return is_cut(value) or not value.context.grad or (value.op == "def" and value.result is None)


def walk(
    start: Value | None, step: Callable[[Value], tuple[Value, ...]], limit: int = 3_000
) -> Iterator[Value]:
    """Values from a start backwards, nearest first; a call whose result is unpacked is passed, too."""
    queue: list[Value] = [start] if start is not None else []
    seen: set[int] = set()
    shown: set[int] = set()
    position = 0
    while position < len(queue) and len(seen) < limit:
        here = queue[position]
        position += 1
        if id(here) in seen:
            continue
        seen.add(id(here))
        if id(here) not in shown:
            yield here
        onward = step(here)
        if onward and isinstance(here, Call) and here.op == "[]" and picked(here) is not None:
            held = here.args[0]
            if isinstance(held, Call) and id(held) not in seen and id(held) not in shown:
                shown.add(id(held))
                yield held
        queue.extend(onward)


def reached(loss: Value | None) -> Iterator[Value]:
    """Everything that may receive gradient from a loss."""
    return walk(loss, gradient_parents)


def surely_reached(loss: Value | None) -> Iterator[Value]:
    """Everything that certainly receives gradient from a loss (as far as it has parameters)."""
    return walk(loss, sure_gradient_parents)


def everything_behind(loss: Value | None) -> Iterator[Value]:
    """Everything whose numbers enter a loss."""
    return walk(loss, data_parents)


def applications(values: Iterator[Value]) -> Iterator[Call]:
    """The calls among the values that apply a model or layer."""
    for value in values:
        if isinstance(value, Call) and value.op == "()" and may_be_model(value.receiver):
            yield value


@lru_cache(maxsize=2)
def trained_by(program: Program) -> tuple[tuple[Event, tuple[Call, ...]], ...]:
    """Every backward call with the applications of models and layers that it may reach."""
    return tuple(
        (
            event,
            tuple(
                call
                for call in with_enclosing(program, applications(reached(event.about)))
                if may_be_model(call.receiver) and is_recorded(call)
            ),
        )
        for event in program.training.of("backward")
    )


def is_recorded(call: Call) -> bool:
    """Whether applying a model leaves a graph; a forward that switches recording off inside leaves none."""
    if not call.context.grad or call.result is None:
        return call.context.grad
    inner = [one for one in applications(everything_behind(call.result)) if one.order > call.order]
    return not inner or any(one.context.grad for one in inner if one.result is None)


def carries_graph(value: Value | None) -> bool:
    """Whether a value certainly has a model's forward pass in its history."""
    return any(call.context.grad for call in applications(surely_reached(value)))


# --- optimizers ---

_OPTIMIZER = Pattern(
    r"^(torch\.optim\.(?!lr_scheduler)|torch_optimizer\.|timm\.optim\.|bitsandbytes\.optim\.)"
)


def is_optimizer(value: Value | None) -> bool:
    return isinstance(value, Call) and bool(_OPTIMIZER.match(value.op))


def optimized(optimizer: Value | None) -> list[Value] | None:
    """The objects whose `.parameters()` an optimizer was given; None where that is not known."""
    owners: list[Value] = []
    for option in possible(optimizer):
        if not is_optimizer(option) or not isinstance(option, Call):
            return None
        for value in walk(option.argument(0, "params"), _given, 300):
            if isinstance(value, Call) and value.op in (".parameters", ".named_parameters"):
                owners += possible(value.receiver)
            elif _hides_something(value):
                return None
    return owners


def _hides_something(value: Value) -> bool:
    """Something from outside, a call that was not followed, or a list whose items were not seen."""
    if isinstance(value, Collection):
        return value.open and not value.items
    return isinstance(value, Unknown) or (
        isinstance(value, Call) and value.op == "def" and value.result is None
    )


def _given(value: Value) -> tuple[Value, ...]:
    """What an optimizer's argument is put together from; a tensor in a list is what it is."""
    if isinstance(value, Call) and (
        value.op in (".parameters", ".named_parameters", ".requires_grad_", "torch.nn.Parameter")
        or "requires_grad" in value.keywords
    ):
        return ()
    if isinstance(value, Collection) and value.kind == "list" and not value.open:
        return tuple(item for item in value.items if not isinstance(item, Unknown))
    if isinstance(value, Table) and "params" in value.items:
        return (value.items["params"],)  # the rest of a group are its settings
    return parents(value)


def owned_by_optimizers(program: Program) -> frozenset[object]:
    """The identities of what some optimizer was given `.parameters()` of: models, whatever made them."""
    return program.about(_owned_by_optimizers)


def _owned_by_optimizers(program: Program) -> frozenset[object]:
    return frozenset(
        identity(owner) for call in program.trace if is_optimizer(call) for owner in optimized(call) or ()
    )


def optimizes(optimizer: Value | None, module: Value | None) -> bool | None:
    """Whether an optimizer holds parameters of a module, or of a part of it; None where that is not known."""
    owners = optimized(optimizer)
    if owners is None:
        return None
    return any(holds(owner, module) or holds(module, owner) for owner in owners)


def steps_after(program: Program, backward: Event) -> list[Event]:
    """The optimizer steps that use what a backward call computed: up to the next one after a step."""
    following = [
        event
        for event in program.training.of("step", "backward")
        if event.call.order > backward.call.order
        and (not backward.call.context.loops or event.inside(backward.call.context.loops[-1]))
    ]
    found: list[Event] = []
    for event in following:
        if event.kind == "backward" and found:
            break
        if event.kind == "step":
            found.append(event)
    return found


def frozen_somewhere(program: Program, module: Value | None) -> bool:
    """Whether the program switches a module's gradients off anywhere, or fills it from elsewhere.

    Teachers, target networks and averaged copies are kept by hand: what cuts their gradient is right.
    """
    for call in program.calls(".requires_grad_", "@requires_grad="):
        if any(holds(owner, module) or holds(module, owner) for owner in owners_of(call.receiver)):
            return True
    for call in program.calls(".load_state_dict"):
        if holds(call.receiver, module):
            return True
    for call in program.calls("@weight="):
        if holds(module, call.receiver) and _is_fixed(root(call.args[0])):
            return True
    for call in program.calls("builtins.zip", "copy.deepcopy"):
        if any(holds(owner, module) for given in call.args for owner in owners_of(given)):
            return True
    return False


def _is_fixed(weight: Value | None) -> bool:
    """`nn.Parameter(table, requires_grad=False)`."""
    return (
        isinstance(weight, Call)
        and weight.op == "torch.nn.Parameter"
        and literal(weight.argument(1, "requires_grad")) is False
    )


def owners_of(value: Value | None) -> list[Value]:
    """The modules behind a module, its parameters, or one parameter of it."""
    found: list[Value] = []
    for option in possible(value):
        if is_model(option) or isinstance(option, Unknown | Instance):
            found.append(option)
            continue
        for part in ancestry(option, 60):
            if isinstance(part, Call) and part.op in (
                ".parameters",
                ".named_parameters",
                ".modules",
                ".named_modules",
                ".children",
                ".named_children",
                "@weight",
                "@bias",
            ):
                found += possible(part.receiver)
    return found


def switches_off(call: Call) -> bool | None:
    """What `.requires_grad_(x)` or `.requires_grad = x` does: True off, False on, None not known."""
    given = call.args[0] if call.args else call.keywords.get("requires_grad")
    if given is None:
        return False
    value = literal(given)
    return not value if isinstance(value, bool) else None

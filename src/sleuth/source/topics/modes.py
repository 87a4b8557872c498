"""Modules at work: which one a call applies, what it holds, and whether it is in train or eval mode there."""

import ast
import re
from collections.abc import Iterable, Iterator

from sleuth.source import torch_api
from sleuth.source.flow import keeps_numbers, literal, parents, possible, root, same, subject
from sleuth.source.interpreter.values import (
    Call,
    Carried,
    Collection,
    Context,
    Either,
    Instance,
    Loop,
    Table,
    Unknown,
    Value,
)
from sleuth.source.loop import Event
from sleuth.source.losses import loss_of
from sleuth.source.program import Program
from sleuth.source.word_search import Pattern

# Layers that compute something else in train mode than in eval mode.
_SENSITIVE = Pattern(
    r"^torch\.nn\.(Lazy)?(Sync)?(Alpha|Feature)*(BatchNorm|Dropout|RReLU|Transformer(?!.*Norm))"
)
_STACKS = frozenset({"torch.nn.TransformerEncoder", "torch.nn.TransformerDecoder"})
# Where the rate stands among the arguments.
_DROPOUT_AT = {
    "torch.nn.TransformerEncoderLayer": 3,
    "torch.nn.TransformerDecoderLayer": 3,
    "torch.nn.Transformer": 5,
}
_MAKES_MODULE = Pattern(
    r"^(torchvision\.models|timm|transformers|segmentation_models_pytorch|torch\.hub\.load|copy\.deepcopy)\b"
)
# Of these, the ones with batch norm or dropout in their standard form.
_SENSITIVE_MODELS = Pattern(
    r"^torchvision\.models\.(wide_)?(resnet|resnext|vgg|alexnet|densenet|inception|googlenet|mobilenet"
    r"|efficientnet|shufflenet|mnasnet|squeezenet|regnet)"
)
_WEIGHTS = Pattern(
    r"^torch\.nn\.(Lazy|Linear|Bilinear|Conv|Embedding|LSTM|GRU|RNN|PReLU|MultiheadAttention|Transformer"
    r"|\w*Norm)"
)
_MODEL_MAKER = Pattern(r"model|net|encoder|former|(build|make|create|get|load)_", re.IGNORECASE)
_LOSS_WORD = Pattern(r"loss|criteri|crit$|cost|objective|metric|_fn$|func", re.IGNORECASE)


def unwrapped(value: Value | None) -> Value | None:
    """The module behind `model.to(device)` and the like, where the module itself was made elsewhere."""
    for _ in range(10):
        if isinstance(value, Call) and value.op[1:] in torch_api.RETURNS_SELF and value.receiver is not None:
            value = value.receiver
        else:
            break
    return value


def is_model(value: Value | None) -> bool:
    """A module that the program made, in its own code or with a library's constructor."""
    value = unwrapped(value)
    if torch_api.is_module(value):
        return not _is_criterion(value)
    return isinstance(value, Call) and bool(_MAKES_MODULE.match(value.op))


def may_be_model(value: Value | None) -> bool:
    """Like `is_model`, or something unknown that is called as models are."""
    value = unwrapped(value)
    if is_model(value):
        return True
    if isinstance(value, Unknown):
        return not _LOSS_WORD.search(value.name)
    if not isinstance(value, Call) or value.op.startswith(("torch.nn.", "builtins.")):
        return False
    if value.op == "()" and isinstance(value.receiver, Unknown):
        return bool(_MODEL_MAKER.search(value.receiver.name)) and not _LOSS_WORD.search(value.receiver.name)
    name = value.op.rpartition(".")[2]
    if value.op[:1] == "@":
        return not _LOSS_WORD.search(value.op)
    return value.receiver is None and bool(_MODEL_MAKER.search(name)) and not _LOSS_WORD.search(name)


def _is_criterion(value: Value | None) -> bool:
    name = value.cls.name if isinstance(value, Instance) else value.op if isinstance(value, Call) else ""
    return "Loss" in name or "Criterion" in name


def has_weights(value: Value | None) -> bool:
    """A single layer with parameters."""
    return isinstance(value, Call) and value.receiver is None and bool(_WEIGHTS.match(value.op))


def identity(value: Value | None) -> object:
    """What tells objects apart: the object itself, or the name of something made elsewhere."""
    value = unwrapped(value)
    if isinstance(value, Unknown) and value.name:
        return f"?{value.name}"
    if isinstance(value, Call) and value.op[:1] == "@" and value.result is None:
        return (identity(value.receiver), value.op)
    return id(value)


def made_inside(model: Value, loop: Loop) -> bool:
    """Whether each turn of a loop makes it anew; an object whose making was not seen may be made there."""
    if isinstance(model, Instance):
        return model.made_in is None or loop in model.made_in.loops
    return isinstance(model, Call) and loop in model.context.loops


def same_module(left: Value | None, right: Value | None) -> bool:
    if same(left, right):
        return True
    names = {identity(option) for option in possible(left)}
    return any(identity(option) in names for option in possible(right))


def parts(module: Value | None, limit: int = 300) -> Iterator[Value]:
    """The module and all it holds: attributes of the project's classes, layers of containers."""
    queue: list[Value] = list(possible(module))
    seen: set[int] = set()
    while queue and len(seen) < limit:
        here = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, Instance):
            yield here
            held = list(here.attributes.values()) if torch_api.is_module(here) else []
        elif isinstance(here, Call) and unwrapped(here) is not here:
            held = [inner] if (inner := unwrapped(here)) is not None else []
        elif isinstance(here, Call):
            yield here
            held = list(here.args) if here.op.startswith("torch.nn.") or here.op.endswith("Dict") else []
        elif isinstance(here, Collection):
            held = list(here.items)
        elif isinstance(here, Table):
            held = list(here.items.values())
        else:
            yield here
            held = []
        queue.extend(option for value in held for option in possible(value))


def holds(whole: Value | None, part: Value | None) -> bool:
    """Whether a module is another one or holds it."""
    if same_module(whole, part):
        return True
    wanted = {identity(option) for option in possible(part)}
    if any(identity(piece) in wanted for piece in parts(whole)):
        return True
    # `model.fc` and `model.features[7:]` of a library's model are not followed: they are read as they stand.
    return any(
        isinstance(option, Call)
        and (
            (option.op[:1] == "@" and holds(whole, option.receiver))
            or (option.op == "[]" and bool(option.args) and holds(whole, option.args[0]))
        )
        for option in possible(part)
    )


def mode_matters(module: Value | None, program: Program) -> bool | None:
    """Whether train and eval mode differ for a module; None where not all of it is known."""
    known = True
    for piece in parts(module):
        if isinstance(piece, Call) and piece.op.startswith("torch.nn."):
            if _is_sensitive(piece):
                return True
            known = known and not any(isinstance(given, Collection) and given.open for given in piece.args)
        elif isinstance(piece, Instance):
            if any(same(call.receiver, piece) for call in program.calls("@training")):
                return True
            known = known and torch_api.is_module(piece)
        elif (
            isinstance(piece, Call)
            and _SENSITIVE_MODELS.match(piece.op)
            and "norm_layer" not in piece.keywords
        ):
            return True
        elif (isinstance(piece, Call) and _MAKES_MODULE.match(piece.op)) or (
            isinstance(piece, Unknown) and piece is module
        ):
            known = False
    return False if known and is_model(module) else None


def _is_sensitive(made: Call) -> bool:
    """Dropout or batch statistics, unless the dropout of a transformer's layer is said to be 0."""
    rate = made.argument(_DROPOUT_AT[made.op], "dropout") if made.op in _DROPOUT_AT else None
    if made.op in _STACKS or (rate is not None and literal(rate) in (0, 0.0)):
        return False  # a stack is as sensitive as the layer it is made of
    return bool(_SENSITIVE.match(made.op)) or literal(made.keywords.get("dropout")) not in (None, 0, 0.0)


def mode_events(program: Program, module: Value | None, call: Call) -> list[Event]:
    """The `train()` and `eval()` calls that reach a module, in order; not those that were taken back when the
    call is reached."""
    events = [event for event in program.training.of("train", "eval") if holds(event.about, module)]
    spans = [(asked.order, event.call.order) for event in events if (asked := _restored(event))]
    over = [(first, last) for first, last in spans if not first < call.order < last]
    return [e for e in events if not any(first < e.call.order <= last for first, last in over)]


def _restored(event: Event) -> Call | None:
    """`model.training`, asked before, where `model.train(was)` puts the model back to it."""
    mode = root(event.call.argument(0, "mode")) if event.kind == "train" else None
    return mode if isinstance(mode, Call) and mode.op == "@training" else None


_LEAVES_AS_IT_IS = Pattern(r"^(torch|builtins|torchinfo|torchsummary|copy)\.")


# Methods of any module that neither switch nor change it (what they load or move aside).
_KNOWN_METHODS = frozenset(
    ".to .cuda .cpu .half .float .double .bfloat16 .train .eval .parameters .named_parameters .buffers "
    ".modules .named_modules .children .named_children .state_dict .load_state_dict .requires_grad_ "
    ".zero_grad .share_memory .forward .register_forward_hook .__init__ .compile".split()
)


def handed_over(program: Program, module: Value | None, first: int, last: int) -> bool:
    """Whether code out of sight gets a module between two moments: it may switch or change anything."""
    unseen = [
        call
        for call in program.trace[first:last]
        if call.result is None and (call.op == "def" or "." in call.op or call.op == "()")
        if not _LEAVES_AS_IT_IS.match(call.op)
    ]
    return any(
        same_module(given, module) for call in unseen for given in (*call.args, *call.keywords.values())
    ) or any(
        call.op[:1] == "." and call.op not in _KNOWN_METHODS and same_module(call.receiver, module)
        for call in unseen
    )


def named_only(program: Program, word: str, call: Call) -> Call | None:
    """`model.eval` as a statement, without the brackets, on the way to a call of the model."""
    named = [
        one
        for one in program.calls(f"@{word}")
        if one.order < call.order and holds(one.receiver, call.receiver)
    ]
    if not named:
        return None
    statements = {node.value for node in program.source.of(ast.Expr)}
    return next((one for one in reversed(named) if one.node in statements), None)


def excludes(one: Context, other: Context) -> bool:
    """Whether two places lie in different arms of one branch: in one turn only one of them is reached."""
    return any(
        left.node is right.node and left.name != right.name for left in one.arms for right in other.arms
    )


def inside(context: Context, loop: Loop) -> bool:
    return any(here is loop for here in context.loops)


def last_mode(program: Program, call: Call, module: Value | None) -> Event | None:
    """The `train()` or `eval()` that decides the mode at a call when it is reached for the first time."""
    before = [event for event in mode_events(program, module, call) if event.call.order < call.order]
    before = [event for event in before if not excludes(event.call.context, call.context)]
    return before[-1] if before else None


def left_in_eval(program: Program, call: Call, module: Value | None) -> Event | None:
    """The `eval()` after which a call runs, in its first turn or in a later one of the loops around it."""
    events = mode_events(program, module, call)
    if not any(event.kind == "eval" for event in events):
        return None
    for loop in reversed(call.context.loops):
        within = [event for event in events if event.inside(loop)]
        before = [
            event
            for event in within
            if event.call.order < call.order and not excludes(event.call.context, call.context)
        ]
        if before:
            return _for_sure(before)
        after = [event for event in within if event.call.order > call.order]
        if after and after[-1].kind == "eval" and not _made_in(module, loop):
            return _for_sure(after)
    deciding = last_mode(program, call, module)
    return _for_sure([event for event in events if event.call.order < call.order]) if deciding else None


def _made_in(module: Value | None, loop: Loop) -> bool:
    """Whether every turn has a model of its own: what an earlier one was switched to is gone with it."""
    made = root(module)
    if isinstance(made, Call) and made.op[:1] == "@":
        return False  # read there from whatever holds it
    context = made.made_in if isinstance(made, Instance) else made.context if isinstance(made, Call) else None
    return context is not None and loop in context.loops


def _for_sure(events: list[Event]) -> Event | None:
    """The last event if it is `eval()` and no other arm of its branch says `train()`."""
    last = events[-1] if events else None
    if last is None or last.kind != "eval":
        return None
    other_phase = any(
        event.kind == "train" and excludes(event.call.context, last.call.context) for event in events
    )
    return None if other_phase else last


def forwards(program: Program) -> tuple[Call, ...]:
    """The calls that apply a model, the outermost ones only: not a model's own layers."""
    return program.about(_forwards)


def _forwards(program: Program) -> tuple[Call, ...]:
    return tuple(
        call
        for call in program.calls("()")
        if may_be_model(call.receiver)
        and not any(site.node is call.node and site.op == "def" for site in call.context.sites)
        and not _within_forward(call)
    )


def _within_forward(call: Call) -> bool:
    return any(getattr(function_of(site), "name", "") == "forward" for site in call.context.sites) or (
        # a layer of nn.Sequential is applied at the line that made it
        isinstance(call.receiver, Call) and call.node is call.receiver.node
    )


def with_enclosing(program: Program, calls: Iterable[Call]) -> Iterator[Call]:
    """Applications together with those of the models in whose forward they happen."""
    seen: set[int] = set()
    for call in calls:
        for one in (call, *_enclosing(program, call)):
            if id(one) not in seen:
                seen.add(id(one))
                yield one


def _enclosing(program: Program, call: Call) -> Iterator[Call]:
    for site in call.context.sites:
        # a module's application is recorded just before its forward is followed
        applied = program.trace[site.order - 1] if site.order else None
        if applied is not None and applied.op == "()" and applied.node is site.node:
            yield applied


def function_of(site: Call) -> object:
    return getattr(site.receiver, "definition", None)


# --- what becomes of a value ---


def users(program: Program) -> dict[int, list[Call]]:
    """For every value the operations that take it, in order."""
    return program.about(_users)


def _users(program: Program) -> dict[int, list[Call]]:
    index: dict[int, list[Call]] = {}
    for call in program.trace:
        given = (call.receiver, *call.args, *call.keywords.values(), call.result)
        for value in {id(part): part for entry in given for part in _spread(entry)}.values():
            index.setdefault(id(value), []).append(call)
    return index


def _spread(value: Value | None, depth: int = 3) -> Iterator[Value]:
    """A value and what it may stand for or hold."""
    if value is None or depth == 0:
        return
    yield value
    if isinstance(value, Collection):
        inner: list[Value] = value.items[:20]
    elif isinstance(value, Either):
        inner = list(value.options)
    elif isinstance(value, Carried):
        inner = [part for part in (value.initial, value.final) if part is not None]
    elif isinstance(value, Table):
        inner = list(value.items.values())[:20]
    else:
        inner = []
    for part in inner:
        yield from _spread(part, depth - 1)


def descendants(program: Program, value: Value, limit: int = 400) -> Iterator[Call]:
    """The operations that a value's numbers reach, nearest first."""
    index = users(program)
    queue: list[Value] = [value]
    if isinstance(value, Call) and value.result is not None:
        queue += _spread(value.result)  # unpacked, the parts of a result go on by themselves
    seen = {id(value)}
    position = 0
    while position < len(queue) and len(seen) < limit:
        here = queue[position]
        position += 1
        for call in index.get(id(here), ()):
            if id(call) not in seen:
                seen.add(id(call))
                queue.append(call)
                yield call


_METRIC = Pattern(r"^(sklearn\.metrics\.|torchmetrics\.|torcheval\.)")


def judged_by(program: Program, output: Call) -> Call | None:
    """The operation that compares a model's output with the truth: a loss, a count of hits, a metric."""
    for call in descendants(program, output, 60):
        if call.op in ("==", ".eq", "torch.eq") and not any(
            literal(given) is not None for given in call.args
        ):
            return call
        if loss_of(call) is not None or _METRIC.match(call.op):
            return call
        if call.op == "-" and _sized(program, call):
            return call
    return None


_SIZES = frozenset(".pow ** .abs .square .norm torch.abs torch.square torch.pow torch.norm".split())


def _sized(program: Program, difference: Call) -> bool:
    """Whether the size of a difference is taken, of all of it or of some of its rows."""
    index = users(program)
    picked = [call for call in index.get(id(difference), ()) if keeps_numbers(call)]
    return any(after.op in _SIZES for part in (difference, *picked) for after in index.get(id(part), ()))


def base(value: Value | None) -> Value | None:
    """The data set, loader or tensor that a batch was taken from."""
    for _ in range(60):
        if isinstance(value, Call) and value.result is not None:
            value = value.result
        elif isinstance(value, Call) and value.op in _WRAPS_DATA and value.args:
            value = value.args[0]
        elif isinstance(value, Call) and keeps_numbers(value):
            value = subject(value) if value.op != "[]" or value.receiver is not None else value.args[0]
        elif isinstance(value, Either | Carried):
            value = next(iter(parents(value)), None)
        elif isinstance(value, Collection) and value.items:
            value = value.items[0]
        else:
            return value
    return value


_WRAPS_DATA = frozenset(
    "next builtins.enumerate builtins.iter builtins.next builtins.zip tqdm.tqdm tqdm.auto.tqdm "
    "tqdm.notebook.tqdm itertools.islice itertools.cycle rich.progress.track builtins.list".split()
)

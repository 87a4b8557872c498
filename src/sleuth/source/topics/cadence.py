"""The rhythm of training: which events belong to one turn of the loop, in which order, on whose account.

A turn is one pass through the innermost loop that holds both backward pass and step; where no loop is to be
seen (a `train_step` that nobody here calls, a notebook cell), it is the straight line of one function or of
the file.
"""

import ast
import re
from collections.abc import Iterator, Sequence

from sleuth.quick_dataclass import dataclass
from sleuth.source import torch_api
from sleuth.source.flow import ancestry, literal, possible, root, spelling
from sleuth.source.interpreter.machine import PASS_ITERABLES
from sleuth.source.interpreter.values import Call, Collection, Constant, Instance, Loop, Super, Unknown, Value
from sleuth.source.loop import Event
from sleuth.source.parsed_file import Source
from sleuth.source.program import Program
from sleuth.source.word_search import Pattern

_OPTIMIZER_CLASS = Pattern(r"(^|\.)(Adam|AdamW|SGD|RMSprop|Adagrad|Lion|LBFGS|Adafactor|Adam8bit|AdamW8bit)$")
_SCHEDULERS = "torch.optim.lr_scheduler."
# Libraries whose functions neither differentiate nor step behind one's back.
_HARMLESS = Pattern(
    r"^(torch|torchvision|torchmetrics|numpy|builtins|math|random|time|os|sys|json|copy|logging|tqdm|rich|wandb|mlflow|"
    r"matplotlib|pandas|sklearn|scipy|itertools|functools|collections|contextlib|pathlib|datetime|gc|jax|optax|einops)\b"
)
_REPORTS = Pattern(
    r"log|add_|append|update|write|print|record|set_postfix|set_description|save|track|meter|metric|info|debug|warn|"
    r"item|detach|format|load|state_dict|to$|train$|eval$|parameters|extend|report|plot|count|put|watch|display",
    re.IGNORECASE,
)
_ACTS = Pattern(r"train|step|update|backward|optim|fit|learn|grad", re.IGNORECASE)
_LOADER = Pattern(r"load|batch|_dl$|^dl$|iter|dataset|stream|chunks", re.IGNORECASE)


@dataclass(frozen=True)
class Turn:
    """The events of one turn, in order. Without a `loop` they happen once, one after the other."""

    loop: Loop | None
    events: tuple[Event, ...]

    def of(self, *kinds: str) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]


def turn_of(program: Program, event: Event) -> Turn | None:
    """The turn an event takes part in: the innermost loop around it with a backward pass in it."""
    loops = event.call.context.loops
    backwards = program.training.of("backward")
    for loop in reversed(loops):
        if any(backward.inside(loop) for backward in backwards):
            return Turn(loop, tuple(other for other in program.training.events if other.inside(loop)))
    return None if loops else straight_line(program, event)


def straight_line(program: Program, event: Event) -> Turn:
    """What happens outside all loops in one run: module level and its callees, or one uncalled function."""
    start = frame(event.call)
    return Turn(
        None,
        tuple(
            other
            for other in program.training.events
            if not other.call.context.loops and frame(other.call) is start
        ),
    )


def frame(call: Call) -> Call | None:
    """The uncalled function in which something happened; None for what module level sets going."""
    sites = call.context.sites
    return sites[0] if sites and not isinstance(sites[0].node, ast.Call) else None


def exclusive(left: Call, right: Call) -> bool:
    """Whether two calls stand in different arms of one branch, so that a turn meets only one of them."""
    return any(
        one.node is other.node and one.name != other.name
        for one in left.context.arms
        for other in right.context.arms
    )


def implied(consequence: Call, condition: Call) -> bool:
    """Whether whoever reaches `condition` has taken every branch that leads to `consequence`."""
    return all(any(arm is other for other in condition.context.arms) for arm in consequence.context.arms)


def between(program: Program, first: Call, last: Call) -> Sequence[Call]:
    """What happens after one call and before another."""
    return program.trace[first.order + 1 : last.order]


def earlier(program: Program, turn: Turn, call: Call) -> list[Call]:
    """What happens in a turn before one of its calls."""
    start = frame(call)
    return [
        other
        for other in program.trace[: call.order]
        if (any(loop is turn.loop for loop in other.context.loops) if turn.loop else frame(other) is start)
    ]


def inside(program: Program, loop: Loop) -> Iterator[Call]:
    """Everything that happens in a loop."""
    return (call for call in program.trace if any(here is loop for here in call.context.loops))


def alike(left: Value | None, right: Value | None, depth: int = 5) -> bool:
    """Whether two values are probably one object: the same value, or written the same way.

    A name that is defined elsewhere is another `Unknown` at each mention, and so is an attribute of it.
    """
    others = possible(right)
    return any(_alike(one, other, depth) for one in possible(left) for other in others)


def _alike(one: Value, other: Value, depth: int) -> bool:
    if one is other:
        return True
    if isinstance(one, Unknown) and isinstance(other, Unknown):
        return bool(one.name) and one.name == other.name
    if not (isinstance(one, Call) and isinstance(other, Call)) or one.op != other.op or depth == 0:
        return False
    if one.op.startswith("@"):
        return alike(one.receiver, other.receiver, depth - 1)
    if one.op == "next" and one.args and other.args:
        return alike(one.args[0], other.args[0], depth - 1)
    if one.op == "[]" and len(one.args) == len(other.args) == 2:
        keys = literal(one.args[1]), literal(other.args[1])
        return (None in keys or keys[0] == keys[1]) and alike(one.args[0], other.args[0], depth - 1)
    return False


def constructor(optimizer: Value | None) -> Call | None:
    """The call that made an optimizer, when every possibility is one that is known."""
    options = possible(optimizer)
    made = [option for option in options if is_optimizer_call(option)]
    return made[0] if made and len(made) == len(options) and isinstance(made[0], Call) else None


def is_optimizer_call(value: Value | None) -> bool:
    if not isinstance(value, Call) or value.receiver is not None:
        return False
    if value.op.startswith("torch.optim."):
        return not value.op.startswith(_SCHEDULERS) and value.op.rpartition(".")[2][:1].isupper()
    return "." in value.op and bool(_OPTIMIZER_CLASS.search(value.op))


def is_optimizer(value: Value | None) -> bool:
    """An optimizer for certain: made by a known class or by a project class that derives from one."""
    return any(
        is_optimizer_call(option)
        or (isinstance(option, Instance) and option.cls.derives_from("torch.optim.Optimizer"))
        for option in possible(value)
    )


def scheduler_call(scheduler: Value | None) -> Call | None:
    """The torch call that made a scheduler, when there is only one candidate."""
    made = [option for option in possible(scheduler) if isinstance(option, Call)]
    return made[0] if len(made) == 1 and made[0].op.startswith(_SCHEDULERS) else None


def owners(optimizer: Call) -> list[Value]:
    """The modules whose parameters an optimizer holds, as far as they are named."""
    found: list[Value] = []
    for value in ancestry(optimizer.argument(0, "params"), 200):
        if isinstance(value, Call) and value.op in (".parameters", ".named_parameters", ".state_dict"):
            owner = root(value.receiver)
            if owner is not None:
                found.append(owner)
    return found


def share_parameters(left: Call, right: Call) -> bool:
    """Whether two optimizers may hold a parameter in common (then clearing one clears the other)."""
    ours, theirs = owners(left), owners(right)
    if not ours or not theirs:
        return True
    return any(holds(one, other) or holds(other, one) for one in ours for other in theirs)


def holds(module: Value, part: Value, depth: int = 4) -> bool:
    """Whether one module is the other or has it among its parts."""
    if alike(module, part):
        return True
    if isinstance(part, Call) and part.op[:1] in "@[" and depth:  # model.head, layers[0]
        whole = part.receiver if part.op.startswith("@") else part.args[0] if part.args else None
        return whole is not None and holds(module, root(whole) or whole, depth - 1)
    if not depth:
        return False
    inner = list(module.attributes.values()) if isinstance(module, Instance) else []
    if isinstance(module, Call) and torch_api.is_module(module):
        inner = torch_api.layers_of(module) if module.op == "torch.nn.Sequential" else list(module.args)
    return any(
        holds(option, part, depth - 1)
        for value in inner
        for option in possible(value)
        if isinstance(option, Instance | Call | Collection)
    )


def opaque(calls: Sequence[Call] | Iterator[Call], *subjects: Value | None) -> Call | None:
    """A call whose code cannot be seen and that gets hold of one of the subjects: it may do anything."""
    return next((call for call in calls if _is_opaque(call, subjects)), None)


def _is_opaque(call: Call, subjects: tuple[Value | None, ...]) -> bool:
    if call.op == "def":
        return call.result is None and (_receives(call, subjects) or not call.args)
    if call.op == "()":
        if torch_api.is_module(call.receiver):
            return False
        silent = isinstance(call.receiver, Unknown) and not call.args and not call.keywords
        return _receives(call, subjects) or (
            silent and bool(_ACTS.search(getattr(call.receiver, "name", "")))
        )
    if call.op.startswith("."):
        if _REPORTS.search(call.op):
            return False
        if isinstance(call.receiver, Instance | Super):
            return not torch_api.is_module(call.receiver) or not call.op.startswith(
                (".zero_grad", ".parameters")
            )
        return call.op not in (
            ".step",
            ".zero_grad",
            ".scale",
            ".unscale_",
            ".backward",
            ".clip_grad_norm_",
        ) and (_receives(call, subjects) and isinstance(root(call.receiver), Unknown | Call))
    if call.op[:1].isalpha() and "." in call.op:
        return not _HARMLESS.match(call.op) and _receives(call, subjects)
    return False


def _receives(call: Call, subjects: tuple[Value | None, ...]) -> bool:
    return any(
        subject is not None and alike(argument, subject)
        for argument in (*call.args, *call.keywords.values())
        for subject in subjects
    )


def touches_gradients(calls: Sequence[Call] | Iterator[Call]) -> bool:
    """Whether gradients are read or written by hand (other than by clearing them)."""
    for call in calls:
        if call.op in ("@grad", "@_grad", "@main_grad", "torch.autograd.grad", ".autograd.grad"):
            return True
        if call.op in ("@grad=", "@_grad=") and call.args and not _is_none(call.args[0]):
            return True
    return False


def _is_none(value: Value) -> bool:
    settled = root(value)
    return isinstance(settled, Constant) and settled.value is None


def runs_over(loop: Loop) -> Value | None:
    """What a `for` iterates, without the wrappers that count, show or cut it."""
    over = root(loop.over)
    for _ in range(6):
        wraps = isinstance(over, Call) and (over.op in PASS_ITERABLES or over.op == "builtins.enumerate")
        if not (wraps and isinstance(over, Call) and over.args):
            return over
        over = root(over.args[0])
    return over


def turns_of_range(loop: Loop) -> Value | None:
    """The number that a loop over `range` counts to (`range(1, n + 1)` counts to n)."""
    over = runs_over(loop)
    if not (isinstance(over, Call) and over.op in ("builtins.range", "tqdm.trange", "tqdm.auto.trange")):
        return None
    if len(over.args) not in (1, 2):
        return None
    stop = root(over.args[-1])
    if isinstance(stop, Call) and stop.op == "+" and literal(stop.args[1]) == 1:
        return stop.args[0]
    return over.args[-1]


def serves_batches(loop: Loop) -> bool:
    """Whether a loop passes over data: a DataLoader, something called so, or an index in strides."""
    over = runs_over(loop)
    text = ast.unparse(loop.node.iter) if isinstance(loop.node, ast.For) else ""
    if not isinstance(over, Call) or not over.op.startswith(("builtins.range", "tqdm.trange")):
        if _LOADER.search(text):
            return True
    if isinstance(over, Call):
        if over.op == "builtins.zip":
            return True
        if over.op == "builtins.range":
            return len(over.args) == 3
        if over.op.startswith("@"):
            return bool(_LOADER.search(over.op[1:]))
        if over.op == "[]" and over.args:  # loaders["train"]
            inner = root(over.args[0])
            name = inner.op if isinstance(inner, Call) else getattr(inner, "name", "")
            return bool(_LOADER.search(name))
        return over.op.rpartition(".")[2] in ("DataLoader", "split", "chunk", "array_split")
    return isinstance(over, Unknown) and bool(_LOADER.search(over.name))


def setting(program: Program, value: Value | None) -> float | None:
    """A number written in the source, be it as the default of a command-line option."""
    settled = root(value)
    known = literal(settled)
    if isinstance(known, int | float):
        return float(known)
    if isinstance(settled, Call) and settled.op.startswith("@"):
        return _option_default(program, settled)
    return None


def _option_default(program: Program, read: Call) -> float | None:
    """`args.gamma` where `parser.add_argument("--gamma", default=0.9)` stands above."""
    parsed = root(read.receiver)
    if isinstance(parsed, Call) and parsed.op == "[]" and parsed.args:
        parsed = root(parsed.args[0])  # args, rest = parser.parse_known_args()
    if not (isinstance(parsed, Call) and parsed.op in (".parse_args", ".parse_known_args")):
        return None
    for option in program.calls(".add_argument"):
        names = [flag for flag in map(literal, option.args) if isinstance(flag, str)]
        names.append(str(literal(option.keywords.get("dest")) or ""))
        if read.op[1:] in {name.lstrip("-").replace("-", "_") for name in names}:
            default = literal(option.keywords.get("default"))
            return float(default) if isinstance(default, int | float) else None
    return None


def bare_statements(source: Source) -> set[ast.AST]:
    """Expressions that stand alone on their line: their value goes nowhere."""
    return {node.value for node in source.of(ast.Expr)}


def subject_of(event: Event) -> str:
    """How the program writes the object concerned, for messages."""
    call = event.call
    if event.kind == "step" and call.args and isinstance(call.node, ast.Call) and call.node.args:
        return (
            ast.unparse(call.node.args[0])
            if not isinstance(call.node.args[0], ast.Lambda)
            else spelling(call)
        )
    return spelling(call)


def cleared_by_hand(call: Call) -> Value | None:
    """The module over whose parameters `p.grad = None` or `p.grad.zero_()` runs."""
    if not _empties(call):
        return None
    for value in ancestry(call.receiver, 12):
        if isinstance(value, Call) and value.op in (".parameters", ".named_parameters"):
            return root(value.receiver)
    return None


def _empties(call: Call) -> bool:
    if call.op == "@grad=":
        return bool(call.args) and _is_none(call.args[0])
    is_zero = call.op == ".zero_" or (call.op == ".fill_" and literal(call.argument(0, "value")) in (0, 0.0))
    return is_zero and isinstance(call.receiver, Call) and call.receiver.op == "@grad"


def cleared_for(program: Program, clearing: Event, step: Event) -> bool:
    """Whether a `zero_grad` empties the gradients that a step would use."""
    made = constructor(step.about)
    if clearing.call.op == ".zero_grad":
        if alike(clearing.about, step.about):
            return True
        if is_optimizer(clearing.about):
            return False
        cleared = root(clearing.about)
    else:
        cleared = cleared_by_hand(clearing.call)
    if made is not None and cleared is not None:
        held = owners(made)
        return bool(held) and all(holds(cleared, owner) for owner in held)
    return False

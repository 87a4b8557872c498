"""The training loop: an ordered list of events, with the loops and branches around each."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

from sleuth.quick_dataclass import dataclass
from sleuth.source import torch_api
from sleuth.source.flow import ancestry, possible, root, same, spelling
from sleuth.source.interpreter.scene import Scene
from sleuth.source.interpreter.values import Call, Constant, Function, Instance, Loop, Super, Unknown, Value
from sleuth.source.word_search import Pattern

Kind = Literal["zero_grad", "forward", "backward", "clip", "step", "scheduler", "train", "eval"]

_OPTIMIZER_NAME = Pattern(r"(?<![a-z])opt(?!ion)|adam|\bsgd\b|trainer_[dg]", re.IGNORECASE)
_SCHEDULER_NAME = Pattern(r"sched|warm_?up|\blr_", re.IGNORECASE)
_CLIP = frozenset(
    f"torch.nn.utils.{name}"
    for name in (
        "clip_grad_norm_",
        "clip_grad_value_",
        "clip_grad_norm",
        "clip_grad.clip_grad_norm_",
        "clip_grads_with_norm_",
    )
)
# Objects that run the step, the zeroing or the scaling themselves: order rules do not hold around them.
FRAMEWORKS = Pattern(
    r"^(accelerate|lightning|pytorch_lightning|deepspeed|ignite|fastai|skorch|transformers\.Trainer|apex|composer|colossalai)\b"
)


@dataclass(frozen=True)
class Event:
    """Something that matters to training. `about` is the optimizer, model, loss or scheduler concerned."""

    kind: Kind
    call: Call
    about: Value | None

    @property
    def line(self) -> int:
        return getattr(self.call.node, "lineno", 0)

    def inside(self, loop: Loop) -> bool:
        return any(here is loop for here in self.call.context.loops)

    @property
    def conditional(self) -> bool:
        """Whether a branch inside its innermost loop may skip the event."""
        loops = self.call.context.loops
        first = getattr(loops[-1].node, "lineno", 0) if loops else 0
        return any(
            getattr(arm.node, "lineno", 0) >= first and arm.name != "except" for arm in self.call.context.arms
        )


@dataclass(frozen=True, eq=False)
class TrainingLoop:
    """The innermost loop around a backward call, and the loops around that one."""

    loop: Loop
    outer: tuple[Loop, ...]
    events: tuple[Event, ...]

    def of(self, *kinds: Kind) -> list[Event]:
        """The events that happen within one turn of the loop, in order."""
        return [event for event in self.events if event.kind in kinds and event.inside(self.loop)]

    def around(self, *kinds: Kind) -> list[Event]:
        """The events within the outermost loop, those of the inner one included."""
        outermost = self.outer[0] if self.outer else self.loop
        return [event for event in self.events if event.kind in kinds and event.inside(outermost)]

    @cached_property
    def optimizers(self) -> list[Value]:
        found: list[Value] = []
        for event in self.of("step"):
            for option in possible(event.about):
                if not any(option is other for other in found):
                    found.append(option)
        return found


@dataclass(frozen=True, eq=False)
class Training:
    """All that a file does to train."""

    events: tuple[Event, ...]
    loops: tuple[TrainingLoop, ...]
    framework: bool

    def of(self, *kinds: Kind) -> list[Event]:
        return [event for event in self.events if event.kind in kinds]


def training(scene: Scene) -> Training:
    """Read the trace as training events."""
    events = tuple(_events(scene))
    found: dict[int, TrainingLoop] = {}
    for event in events:
        loops = event.call.context.loops
        if event.kind == "backward" and loops and id(loops[-1]) not in found:
            found[id(loops[-1])] = TrainingLoop(loops[-1], loops[:-1], events)
    return Training(events, tuple(found.values()), _driven_by_framework(scene))


def _driven_by_framework(scene: Scene) -> bool:
    """Whether a library (Lightning, accelerate ...) takes part in driving the loop."""
    return any(map(FRAMEWORKS.match, {call.op for call in scene.trace}))


# The only operations that can be events: all others need not be looked at twice.
_EVENTFUL = _CLIP | frozenset(
    ".backward .manual_backward torch.autograd.backward .zero_grad @grad= .zero_ .fill_ .detach_ .step "
    ".clip_grad_norm_ .train .eval () -= .sub_ .add_ @data=".split()
)


def _events(scene: Scene) -> Iterator[Event]:
    for call in scene.trace:
        if call.op in _EVENTFUL:
            kind, about = _classify(call)
            if kind is not None:
                yield Event(kind, call, about)


def _classify(call: Call) -> tuple[Kind | None, Value | None]:
    op, receiver = call.op, call.receiver
    if isinstance(receiver, Super):  # a method that adds to what its base class does with the same object
        receiver = receiver.instance
    if op == ".backward":
        loss = (
            call.args[0]
            if call.args and not _is_number(call.args[0]) and _drives_backward(receiver)
            else receiver
        )
        return "backward", loss
    if op == ".manual_backward":  # Lightning, where a script optimises by hand
        return "backward", call.argument(0, "loss")
    if op == "torch.autograd.backward":
        return "backward", call.argument(0, "tensors")
    if op == ".zero_grad":
        return "zero_grad", receiver
    if op in ("@grad=", ".zero_", ".fill_", ".detach_"):
        return ("zero_grad", receiver) if _zeroes_by_hand(call) else (None, None)
    if op == ".step":
        return _step(call)
    if op in _CLIP or (op == ".clip_grad_norm_" and call.args):
        return "clip", call.argument(0, "parameters")
    if op in (".train", ".eval") and _may_be_module(receiver):
        mode = call.argument(0, "mode") if op == ".train" else None
        training_mode = op == ".train" and not (isinstance(mode, Constant) and mode.value is False)
        return ("train" if training_mode else "eval"), receiver
    if op == "()" and torch_api.is_module(receiver):
        return "forward", receiver
    if op in ("-=", ".sub_", ".add_", "@data=") and _updates_by_hand(call):
        return "step", receiver
    return None, None


def _drives_backward(receiver: Value | None) -> bool:
    """`accelerator.backward(loss)`, `self.manual_backward(loss)`: not a tensor's own method."""
    settled = root(receiver)
    if isinstance(settled, Call):
        return bool(FRAMEWORKS.match(settled.op))
    return isinstance(settled, Instance | Unknown) and not re.search(
        r"loss|err|cost|objective", getattr(settled, "name", ""), re.IGNORECASE
    )


def _step(call: Call) -> tuple[Kind | None, Value | None]:
    receiver = call.receiver
    names = [_class_of(option) for option in possible(receiver)]
    if any("GradScaler" in name for name in names) and call.args:
        return "step", call.args[0]
    if any(".lr_scheduler." in name or "Scheduler" in name.rpartition(".")[2] for name in names):
        return "scheduler", receiver
    if any(name.startswith("torch.optim.") or name == "torch.optim.Optimizer" for name in names):
        return "step", receiver
    text = spelling(call)
    if "scaler" in text.lower() and call.args and not isinstance(call.args[0], Function):
        return "step", call.args[0]
    if _SCHEDULER_NAME.search(text):
        return "scheduler", receiver
    if _OPTIMIZER_NAME.search(text) or any(_OPTIMIZER_NAME.search(name) for name in names if name):
        return "step", receiver
    return None, None


def _class_of(value: Value) -> str:
    if isinstance(value, Call):
        return value.op
    if isinstance(value, Instance):
        if value.cls.derives_from("torch.optim.Optimizer"):
            return "torch.optim.Optimizer"
        return value.cls.name
    return ""


def _may_be_module(receiver: Value | None) -> bool:
    """`.train()` and `.eval()` belong to modules; frames and trainers have methods of that name, too."""
    settled = root(receiver)
    if isinstance(settled, Instance | Call):
        return torch_api.is_module(settled) or not isinstance(settled, Instance)
    return True


def _zeroes_by_hand(call: Call) -> bool:
    if call.op == "@grad=":
        return True
    receiver = call.receiver
    return isinstance(receiver, Call) and receiver.op == "@grad"


def _updates_by_hand(call: Call) -> bool:
    """`p -= lr * p.grad`, `p.data.add_(p.grad, alpha=-lr)`: a step without an optimizer."""
    change = call.args[1:] if call.op == "-=" else call.args
    change = (*change, *call.keywords.values())
    return any(
        isinstance(value, Call) and value.op == "@grad" for part in change for value in ancestry(part, 40)
    )


def _is_number(value: Value) -> bool:
    return isinstance(value, Constant)


def same_object(left: Event, right: Event) -> bool:
    return same(left.about, right.about)


def node_line(node: ast.AST | None) -> int:
    return getattr(node, "lineno", 0)

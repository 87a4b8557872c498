"""The losses a program computes, whatever way they are written: module, function or method."""

from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import literal
from sleuth.source.interpreter.scene import Scene
from sleuth.source.interpreter.values import Call, Instance, Value
from sleuth.torch_losses import BY_CLASS_NAME, LOSSES


@dataclass(frozen=True)
class LossUse:
    """One computation of a loss. `name` is torch's functional name; `made` the criterion object, if any."""

    name: str
    call: Call
    input: Value | None
    target: Value | None
    made: Call | None = None

    def option(self, name: str) -> Value | None:
        if name in self.call.keywords:
            return self.call.keywords[name]
        return self.made.keywords.get(name) if self.made is not None else None

    @property
    def reduction(self) -> str:
        value = literal(self.option("reduction"))
        if isinstance(value, str):
            return value
        # The words that torch used before version 1.0.
        if literal(self.option("reduce")) is False:
            return "none"
        return "sum" if literal(self.option("size_average")) is False else "mean"


_OPERATIONS = frozenset(
    {"()", *(f"{home}.{name}" for home in ("torch", "torch.nn.functional") for name in LOSSES)}
)


def losses(scene: Scene) -> Iterator[LossUse]:
    for call in scene.trace:
        if call.op in _OPERATIONS and (use := loss_of(call)) is not None:
            yield use


def loss_of(call: Call) -> LossUse | None:
    """The loss that a call computes, if it is one of torch's."""
    made: Call | None = None
    if call.op == "()":
        made = _criterion(call.receiver)
        name = BY_CLASS_NAME.get(made.op.removeprefix("torch.nn.")) if made is not None else None
    else:
        name = call.op.rpartition(".")[2] if call.op.startswith("torch.") else None
        name = name if name in LOSSES else None
    if name is None:
        return None
    return LossUse(name, call, call.argument(0, "input"), call.argument(1, "target"), made)


def _criterion(value: Value | None) -> Call | None:
    if isinstance(value, Call) and value.op.startswith("torch.nn.") and value.receiver is None:
        return value
    return None


def is_loss_instance(value: Value | None) -> bool:
    """A criterion object: one of torch's, or a project class named as one."""
    if isinstance(value, Instance):
        return "loss" in value.cls.name.lower() or "criterion" in value.cls.name.lower()
    made = _criterion(value)
    return made is not None and made.op.removeprefix("torch.nn.") in BY_CLASS_NAME

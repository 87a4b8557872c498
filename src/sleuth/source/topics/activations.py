"""What the last operation made of a tensor's numbers: raw scores, probabilities, log-probabilities ..."""

from collections.abc import Callable
from collections.abc import Collection as Names

from sleuth.source.flow import keeps_numbers, layer, literal, parents, subject
from sleuth.source.interpreter.values import Call, Carried, Collection, Either, Value
from sleuth.source.losses import LossUse
from sleuth.source.program import Program
from sleuth.source.torch_api import layers_of

_KINDS = {
    "softmax": "softmax Softmax Softmax2d",
    "sigmoid": "sigmoid Sigmoid sigmoid_ expit",
    "log_softmax": "log_softmax LogSoftmax",
    "logsigmoid": "logsigmoid LogSigmoid log_sigmoid",
    "relu": "relu ReLU relu_ relu6 ReLU6",
    "tanh": "tanh Tanh tanh_",
    "activation": "leaky_relu LeakyReLU elu ELU gelu GELU silu SiLU selu SELU PReLU Mish Softplus softplus",
    "raw": "Linear LazyLinear linear Bilinear Dense Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d "
    "ConvTranspose3d BatchNorm1d BatchNorm2d BatchNorm3d",
    "dropout": "dropout Dropout Dropout1d Dropout2d dropout2d",
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names.split()}
_HOMES = ("torch.", "jax.", "flax.", "scipy.special.", ".")


def kind(call: Call) -> str:
    """`softmax`, `sigmoid`, `log_softmax`, `relu`, `raw` (a layer's output) ... or nothing."""
    name = layer(call)
    return _KIND_OF.get(name.rpartition(".")[2], "") if name.startswith(_HOMES) else ""


def origins(
    value: Value | None,
    through: Names[str] = (),
    limit: int = 200,
    assume: Callable[[Call], Value | None] | None = None,
) -> tuple[list[Call], bool]:
    """The operations that made a value, seen through changes of shape, branches, dropout and `through`.

    `assume` may say what a call of something unknown gives. The flag is False where some way leads to
    something unknown, so that not every case was seen.
    """
    found: list[Call] = []
    complete = True
    queue: list[Value] = [value] if value is not None else []
    seen: set[int] = set()
    while queue:
        here = queue.pop(0)
        if id(here) in seen:
            continue
        seen.add(id(here))
        if len(seen) > limit:
            return found, False
        if isinstance(here, Either | Carried):
            queue.extend(parents(here))
        elif not isinstance(here, Call):
            complete = False
        elif here.result is not None:
            queue.append(here.result)
        elif assume is not None and (assumed := assume(here)) is not None:
            queue.append(assumed)
        elif joined := _joined(here):
            queue.extend(joined)
        elif keeps_numbers(here) or kind(here) == "dropout" or layer(here).lstrip(".") in through:
            inner = subject(here)
            queue.extend([inner] if inner is not None else [])
        else:
            found.append(here)
    return found, complete and bool(found)


def _joined(call: Call) -> list[Value]:
    if call.op in ("torch.cat", "torch.stack", "torch.concat") and call.args:
        parts = call.args[0]
        return list(parts.items) if isinstance(parts, Collection) else []
    return []


def always(
    value: Value | None,
    kinds: Names[str],
    through: Names[str] = (),
    assume: Callable[[Call], Value | None] | None = None,
) -> list[Call]:
    """The operations that made a value, provided that every one of them is of these kinds."""
    made, complete = origins(value, through, assume=assume)
    return made if complete and all(kind(call) in kinds for call in made) else []


def added_conditionally(program: Program, call: Call) -> bool:
    """A layer that an `if` appends to the list handed to nn.Sequential: it may be absent."""
    made = call.receiver if call.op == "()" else None
    if not isinstance(made, Call) or not made.context.arms:
        return False
    return any(
        len(made.context.arms) > len(stack.context.arms)
        for stack in program.calls("torch.nn.Sequential")
        if any(part is made for part in layers_of(stack))
    )


def training_of(use: LossUse) -> bool:
    """Whether the loss is computed where gradients are recorded."""
    return use.call.context.grad


def axis_of(call: Call) -> int | None:
    """The axis a softmax or argmax names, whether function, method or module; None when it names none."""
    made = call.receiver if call.op == "()" else None
    if isinstance(made, Call):
        value = made.argument(0, "dim")
    else:
        value = call.keywords.get("axis") or call.argument(0 if call.receiver is not None else 1, "dim")
    written = literal(value)
    return written if isinstance(written, int) and not isinstance(written, bool) else None

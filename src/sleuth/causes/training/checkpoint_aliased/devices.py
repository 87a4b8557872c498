"""Where a program computes: on the CPU for certain, or perhaps on an accelerator."""

from sleuth.source.flow import ancestry, possible
from sleuth.source.interpreter.values import Call, Constant, External, Value
from sleuth.source.program import Program
from sleuth.source.word_search import Pattern

# Words of code that runs, or may run, on something other than a CPU; frameworks choose the device themselves.
_ACCELERATORS = Pattern(
    r"cuda|gpu|\bmps\b|\bxpu\b|\bhpu\b|\bnpu\b|\bxla\b|torch_xla|accelerat|directml|deepspeed"
    r"|lightning|fabric|ignite|transformers"
)
_CHOOSES = ("torch.set_default_device", "torch.set_default_tensor_type")


def only_cpu(program: Program) -> bool:
    """Whether nothing in the program moves, or may move, tensors off the CPU."""
    return program.about(_only_cpu)


def _only_cpu(program: Program) -> bool:
    if any(_ACCELERATORS.search(source.text.lower()) for source in program.sources):
        return False
    moves = [*program.calls(".to", *_CHOOSES)]
    if not all(keeps_device(call) for call in moves):
        return False
    return all(_is_cpu(call.keywords["device"]) for call in program.trace if "device" in call.keywords)


def keeps_device(move: Call) -> bool:
    """Whether `x.to(...)` names the CPU, a type or another tensor of the program."""
    given = [*move.args, *(value for key, value in move.keywords.items() if key in ("device", "other", "**"))]
    return all(_is_cpu(value) or _is_type(value) for value in given)


def moves_to_cpu(move: Call) -> bool:
    """Whether `x.to("cpu")` asks for the CPU and for nothing that makes a new tensor (a type, a copy)."""
    device = move.argument(0, "device")
    options = set(move.keywords) - {"device", "non_blocking"}
    return device is not None and not options and len(move.args) <= 1 and _is_cpu(device)


def _is_cpu(value: Value) -> bool:
    options = possible(value)
    return bool(options) and all(_names_cpu(option) for option in options)


def _names_cpu(value: Value) -> bool:
    if isinstance(value, Constant):
        return value.value is None or isinstance(value.value, bool) or str(value.value).startswith("cpu")
    if not isinstance(value, Call):
        return False
    if value.op == "torch.device":
        return bool(value.args) and _is_cpu(value.args[0])
    if value.op == "@device":  # where another tensor of the program is
        made = (one.op for one in ancestry(value.receiver, 40) if isinstance(one, Call))
        return any(op == ".parameters" or op.startswith("torch.") for op in made)
    return value.op.startswith("torch.")  # `x.to(other)`: another tensor


def _is_type(value: Value) -> bool:
    return all(
        isinstance(option, External)
        or (isinstance(option, Call) and option.op in ("@dtype", "torch.get_default_dtype"))
        for option in possible(value)
    )

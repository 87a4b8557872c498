"""Fractions written into arrays of whole numbers, which keep what stands before the point."""

import re
from collections.abc import Iterator

from sleuth.quick_dataclass import dataclass
from sleuth.source.flow import root, type_name
from sleuth.source.interpreter.values import Call, Value
from sleuth.source.program import Program

_WHOLE = re.compile(r"(u?int(8|16|32|64|p|c)?|long|short|byte|[<>]?[iu][1248])_?")
# Arrays made to be filled, and where their type stands among the arguments.
BUFFERS = {"numpy.zeros": 1, "numpy.empty": 1, "numpy.full": 2, "torch.zeros": 9, "torch.empty": 9}
_MADE_LIKE = frozenset(
    f"{library}.{kind}_like" for library in ("numpy", "torch") for kind in ("zeros", "empty", "ones", "full")
)
_KEEP_TYPE = frozenset({"[]", ".copy", ".clone", ".reshape", ".ravel", ".flatten", ".view"})


@dataclass(frozen=True)
class CutFraction:
    """An array of whole numbers and the quotient that is written into it."""

    array: Call
    written: Call


def cut_fractions(program: Program) -> Iterator[CutFraction]:
    told: set[int] = set()
    for write in program.calls("[]="):
        array = root(write.receiver)
        value = root(write.args[-1])
        if isinstance(array, Call) and id(array) not in told and _is_quotient(value) and _is_whole(array):
            told.add(id(array))
            yield CutFraction(array, write)


def _is_quotient(value: Value | None) -> bool:
    """`x / y`, also with something added: rounded before it is written, it is meant."""
    here = value
    while isinstance(here, Call) and here.op in ("+", "-") and here.args:
        parts = [root(part) for part in here.args]
        here = next((part for part in parts if isinstance(part, Call) and part.op == "/"), None)
    return isinstance(here, Call) and here.op == "/"


def _is_whole(value: Value | None, depth: int = 0) -> bool:
    """Whether an array is one of whole numbers by its type, as far as the source says it."""
    here = root(value)
    if not isinstance(here, Call) or depth > 8:
        return False
    if "dtype" in here.keywords:
        return _WHOLE.fullmatch(type_name(here.keywords["dtype"])) is not None
    if here.op in BUFFERS:
        kind = here.args[BUFFERS[here.op] :][:1]
        return bool(kind) and _WHOLE.fullmatch(type_name(kind[0])) is not None
    if here.op in _MADE_LIKE or here.op in (*_KEEP_TYPE, "numpy.stack", "numpy.concatenate"):
        given = here.args[0] if here.args else here.receiver
        return _is_whole(here.receiver if here.receiver is not None else given, depth + 1)
    if here.op == ".astype" and here.args:
        return _WHOLE.fullmatch(type_name(here.args[0])) is not None
    return here.op in ("numpy.random.randint", ".randint", ".integers", "torch.randint")
